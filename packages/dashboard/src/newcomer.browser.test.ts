/**
 * The way of a newcomer, from a service that nobody has used to an agent with a level. Whatever turns red in the
 * browser's console on this way fails the test. The last tests weigh what the page loads before anything is pressed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserSetup, openBrowserSetup, password } from '../testing/browser-setup.ts'
import { noTerminal, Terminal } from '../testing/terminal.ts'

if (noTerminal) process.stderr.write(`NOT TESTED: the way of a newcomer: ${noTerminal}\n`)

let setup: BrowserSetup
let terminal: Terminal | undefined
const machine = mkdtempSync(join(tmpdir(), 'svc-newcomer-'))
beforeAll(async () => {
  setup = await openBrowserSetup()
})
afterAll(async () => {
  await terminal?.close()
  await setup?.close()
  rmSync(machine, { recursive: true, force: true })
})

/** Returns a list to which everything is added that the page's console shows in red. */
function redLines(page: Page): string[] {
  const red: string[] = []
  page.on('console', (message) => message.type() === 'error' && red.push(message.text()))
  page.on('pageerror', ({ message }) => red.push(message))
  page.on('response', (answer) => answer.status() >= 400 && red.push(`${answer.status()} ${answer.url()}`))
  page.on('requestfailed', (asked) => {
    // The browser aborts the requests of a page that is left. Its console does not show them.
    const why = asked.failure()?.errorText ?? ''
    if (why !== 'net::ERR_ABORTED') red.push(`${why} ${asked.url()}`)
  })
  return red
}

const copied = async (page: Page, label: string): Promise<string> =>
  (await page
    .locator('.svc-copy', { has: page.getByRole('button', { name: `Copy ${label}`, exact: true }) })
    .locator('pre')
    .textContent()) ?? ''

test('while nobody has an account, the page says where the first link is, and offers no form', async () => {
  const { page } = await setup.visitor()
  const red = redLines(page)
  for (const path of ['/', '/sign-in', '/forgot', '/w/north-wind']) {
    await page.goto(setup.url + path)
    await page.getByText('Nobody has an account yet. Open the link that the service printed').waitFor()
    expect(await copied(page, 'command')).toMatch(/^(npx )?svc-server link --first$/)
    expect([await page.locator('input').count(), await page.getByRole('link').count()]).toEqual([0, 0])
  }
  expect(red).toEqual([])
})

test('while nobody has an account, a link that a newer one replaced says so, and offers no sign-in', async () => {
  const { page } = await setup.visitor()
  await page.goto(`${setup.url}/start?token=replaced`)
  await page.getByText('if there is a newer link, open that one').waitFor()
  expect(await copied(page, 'command')).toMatch(/^(npx )?svc-server link --first$/)
  expect(await page.getByText('Sign in', { exact: true }).count()).toBe(0)
})

test.skipIf(noTerminal)(
  'a newcomer has an agent with a level after seven steps, another after two more, and nothing turns red',
  async () => {
    const { page } = await setup.visitor()
    const red = redLines(page)
    const steps: string[] = ['start the service']
    const step = async (says: string, act: () => Promise<unknown>) => {
      steps.push(says)
      await act()
    }
    const shell = new Terminal(machine, { XDG_BIN_HOME: join(machine, 'bin') })
    terminal = shell

    await step('open the link that it printed', async () => {
      await page.goto(setup.firstLink)
      await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    })
    await step('create the account and the workspace', async () => {
      await page.getByLabel('Your name').fill('Ada Winter')
      await page.getByLabel('Email').fill('ada@example.org')
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByLabel('Workspace', { exact: true }).fill('North Wind')
      await page.getByRole('button', { name: 'Create account and workspace' }).click()
      await page.waitForURL('**/w/north-wind')
      setup.firstLink = ''
    })
    await step('choose to add an agent', () => page.getByRole('link', { name: 'Add your first agent' }).click())
    await step('add it with the name that is offered', async () => {
      await page.getByRole('button', { name: 'Add agent' }).click()
      await page.getByRole('button', { name: 'Copy block', exact: true }).waitFor()
    })
    await step('paste the block on its machine', async () => {
      await shell.ready()
      shell.type(await copied(page, 'block'))
      await shell.until('Connected: ')
      await shell.ready()
      await page.getByText('First report received: Hello').waitFor()
    })
    expect(steps.length, steps.join(', ')).toBeLessThanOrEqual(7)

    const more = steps.length
    const second = mkdtempSync(join(machine, 'second-'))
    await step('add another one', () => page.getByRole('button', { name: 'Add another: my-agent-2' }).click())
    await step('paste its block on the second machine', async () => {
      await page.getByRole('heading', { name: 'Connect my-agent-2' }).waitFor()
      shell.type(`cd ${second}`)
      shell.type(await copied(page, 'block'))
      await page.getByText('First report received: Hello').waitFor()
    })
    expect(steps.length - more, steps.slice(more).join(', ')).toBeLessThanOrEqual(2)
    await page.getByRole('link', { name: 'Agents' }).click()
    for (const name of ['my-agent', 'my-agent-2']) {
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
      await row.getByText('Hello').waitFor()
      await row.getByText('OK', { exact: true }).waitFor()
    }
    expect(red).toEqual([])
  },
)

test('a person who is not signed in sees no red line, on the way to the page they wanted', async () => {
  await setup.ada()
  const { page } = await setup.visitor()
  const red = redLines(page)
  await page.goto(`${setup.url}/w/north-wind/members?a=1`)
  await page.waitForURL(`${setup.url}/sign-in?next=${encodeURIComponent('/w/north-wind/members?a=1')}`)
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByText('This service doesn’t send email.').waitFor()
  expect(await page.getByRole('button', { name: 'Send link' }).count()).toBe(0)
  await page.goBack()
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  expect(red).toEqual([])
})

test.each(['light', 'dark'] as const)('the %s frame is shown before the service has answered', async (scheme) => {
  const { page } = await setup.ada({ scheme })
  const isAnswered = Promise.withResolvers<void>()
  await page.route('**/api/web/door', async (route) => {
    await isAnswered.promise
    await route.continue()
  })
  /** The width and the colours of the side bar that is shown. */
  const sideBar = () =>
    page.locator('.svc-side').evaluateAll(([side]) => {
      const { backgroundColor, borderRightColor, color } = getComputedStyle(side as Element)
      return [side?.checkVisibility(), side?.clientWidth, backgroundColor, borderRightColor, color]
    })
  await page.goto(`${setup.url}/w/north-wind`)
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  const before = await sideBar()
  isAnswered.resolve()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  expect(before).toEqual(await sideBar())
})

/**
 * The bytes of compressed JavaScript that the service sends to a browser with an empty cache until the page is still.
 */
async function weigh(page: Page, path: string): Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('response', (answer) => {
    if (!new URL(answer.url()).pathname.endsWith('.js')) return
    sizes.push(answer.allHeaders().then((headers) => Number(headers['content-length'])))
  })
  await page.goto(setup.url + path, { waitUntil: 'networkidle' })
  await page.locator('h1').waitFor()
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test('before a press, the sign-in loads at most 120 KB of JavaScript, and the list of agents 240 KB', async () => {
  const stranger = await setup.visitor({ own: true })
  const signIn = await weigh(stranger.page, '/sign-in')
  const ada = await setup.ada({ own: true })
  const fleet = await weigh(ada.page, '/w/north-wind')
  expect(signIn).toBeGreaterThan(50_000)
  expect(signIn, `the sign-in loads ${signIn} bytes`).toBeLessThanOrEqual(120_000)
  expect(fleet).toBeGreaterThan(signIn)
  expect(fleet, `the list of agents loads ${fleet} bytes`).toBeLessThanOrEqual(240_000)
})

test('no page had an error meanwhile', () => expect(setup.faults).toEqual([]))
