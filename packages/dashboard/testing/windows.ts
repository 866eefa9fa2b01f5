/**
 * The browsers and windows that the tests of one file use. Windows that a test no longer needs are emptied and used
 * again, because starting a browser and compiling the page's scripts take half the time of a first page. Each `goto`
 * still creates a new document.
 */
import { expectedStatuses } from '@svc/api/refused'
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { contextOptions } from '../../../testing/browser.ts'
import { afterThisTest } from '../../../testing/cleaning.ts'

export interface Look {
  scheme?: 'light' | 'dark'
  width?: number
  height?: number
  /**
   * True to get a browser that no other test uses. A test needs one for an empty cache, or for a test clock, because a
   * test clock cannot be removed from a browser.
   */
  own?: boolean
}

interface Opened {
  context: BrowserContext
  page: Page
}

export class Windows {
  readonly #chromium: Browser
  /** The address of a small file of the service. A window shows it while no test uses the window. */
  readonly #rest: string
  readonly #faults: string[]
  readonly #browsers: Opened[] = []
  readonly #windows = new Map<BrowserContext, Page[]>()

  constructor(chromium: Browser, rest: string, faults: string[]) {
    this.#chromium = chromium
    this.#rest = rest
    this.#faults = faults
  }

  /** Returns a browser without cookies, if possible one that an earlier test no longer needs. */
  async browser(look: Look): Promise<Opened> {
    const opened = (look.own ? undefined : this.#browsers.pop()) ?? (await this.#openBrowser())
    await show(opened.page, look)
    afterThisTest(() => (look.own ? opened.context.close() : this.#keepBrowser(opened)))
    return opened
  }

  /** Returns another window of a browser, if possible one that an earlier test no longer needs. */
  async window(context: BrowserContext, look: Look): Promise<Page> {
    const page = this.#windows.get(context)?.pop() ?? (await this.#openWindow(context))
    await show(page, look)
    afterThisTest(() => this.#keepWindow(context, page))
    return page
  }

  async #openBrowser(): Promise<Opened> {
    const context = await this.#chromium.newContext(contextOptions)
    context.setDefaultTimeout(15_000)
    return { context, page: await this.#openWindow(context) }
  }

  async #openWindow(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    this.#listenTo(page)
    return page
  }

  async #keepWindow(context: BrowserContext, page: Page): Promise<void> {
    if (!(await this.#isEmptied(page))) return await page.close()
    this.#windows.set(context, [...(this.#windows.get(context) ?? []), page])
  }

  async #keepBrowser({ context, page }: Opened): Promise<void> {
    const isEmptied = (await this.#isEmptied(page)) && (await page.evaluate(() => localStorage.clear()).then(yes, no))
    if (!isEmptied) return await context.close()
    await context.clearCookies()
    this.#browsers.push({ context, page })
  }

  /**
   * Empties a window, so that another test can use it. Returns false if the test has closed it, or if the service no
   * longer answers.
   */
  async #isEmptied(page: Page): Promise<boolean> {
    if (page.isClosed()) return false
    page.removeAllListeners()
    this.#listenTo(page)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    return await page.goto(this.#rest, { timeout: 5000 }).then(yes, no)
  }

  #listenTo(page: Page): void {
    page.on('pageerror', (error) => this.#faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !isOfTest(message)) this.#faults.push(message.text())
    })
  }
}

/**
 * True for an error that the console shows because a test has broken something: files that are missing, a service that
 * does not answer, a session that ended. A refusal by `/api/web/` that the page expects is a fault, since the
 * page should have sent that request quietly (packages/api/src/refused.ts).
 */
function isOfTest(message: ConsoleMessage): boolean {
  const text = message.text()
  if (/ERR_/.test(text)) return true
  const status = /^Failed to load resource.* status of (\d+)/.exec(text)?.[1]
  const isApi = new URL(message.location().url, 'http://localhost').pathname.startsWith('/api/web/')
  return status !== undefined && !(isApi && expectedStatuses.has(Number(status)))
}

const yes = () => true
const no = () => false

async function show(page: Page, { scheme = 'light', width = 1280, height = 800 }: Look): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
}
