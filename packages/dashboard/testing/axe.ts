import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe that judge colours. */
const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * Runs axe on the current page and returns its findings, one line each. The debugger puts axe into the page, so that
 * the page's content security policy applies unchanged.
 */
export async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page is drawn when its heading is there. Before that, only the frame around the page is shown. On a phone, an
  // open menu hides the heading.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await standsStill(page)
  if (!(await page.evaluate(() => 'axe' in window))) {
    const debug = await page.context().newCDPSession(page)
    await debug.send('Runtime.evaluate', { expression: source })
    await debug.detach()
  }
  const { violations } = (await page.evaluate(async (values) => {
    const { axe } = window as unknown as { axe: { run: (root: Document, options: object) => Promise<AxeResults> } }
    return axe.run(document, { resultTypes: ['violations'], ...(values && { runOnly: { type: 'rule', values } }) })
  }, rules)) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.replaceAll(/\s+/g, ' ')}`),
  )
}

/**
 * Turns off CSS transitions and waits until running animations have ended. Even very short transitions would run one
 * after another in nested elements, and the page would be drawn again for each level of nesting.
 */
const standsStill = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    if (document.adoptedStyleSheets.length === 0) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('*, *::before, *::after { transition: none !important }')
      document.adoptedStyleSheets.push(sheet)
    }
    const ending = () =>
      document
        .getAnimations()
        // An animation that follows the scrolling of an element never ends.
        .filter(
          ({ effect, timeline }) => timeline === document.timeline && effect?.getComputedTiming().endTime !== Infinity,
        )
    for (let all = ending(); all.length > 0; all = ending())
      await Promise.allSettled(all.map(({ finished }) => finished))
  })

/**
 * Returns the faults of a page in windows of these widths, in the light and the dark scheme: findings of axe, and
 * content wider than the window. `whole` waits until the page is complete. In the dark scheme only the rules about
 * colours run, because everything else is the same.
 */
export async function wrongLooks(
  page: Page,
  whole: () => Promise<unknown>,
  widths: readonly number[] = [1440, 360],
): Promise<string[]> {
  const wrong: string[] = []
  await standsStill(page)
  for (const [turn, width] of widths.entries()) {
    await resize(page, width)
    await whole()
    // Each width begins with the colour scheme that the page already has, because every change of the scheme draws the
    // whole page again.
    const schemes = ['light', 'dark'] as const
    for (const scheme of turn % 2 === 0 ? schemes : schemes.toReversed()) {
      await page.emulateMedia({ colorScheme: scheme })
      // The documents at `/help` have no script, and their style sheet follows the scheme by itself.
      const ready = `html[data-mantine-color-scheme="${scheme}"], html:not([data-mantine-color-scheme])`
      await page.locator(ready).waitFor({ state: 'attached' })
      await untilDrawn(page)
      const found = await axe(page, scheme === 'dark' ? ofColours : undefined)
      const wider = await overflow(page)
      if (wider > 0) found.push(`${wider} pixels wider than the window`)
      wrong.push(...found.map((fault) => `${scheme} at ${width}: ${fault}`))
    }
  }
  return wrong
}

/**
 * Returns by how many pixels the page is wider than its window. More than 0 is a fault, since people would have to
 * scroll sideways.
 */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Changes the width of the window. Resolves when the page has been laid out for it. */
export async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await untilDrawn(page)
}

const untilDrawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

/** The minimum height and width, in pixels, of what people press on a phone. */
const minTarget = 44

/**
 * Returns what can be pressed on the page, but is too small for a thumb: a press at a distance of half the minimum size
 * from its middle meets something else. Links in a text are left out, because the lines of a text are closer together.
 * The link in a row is left out, too, because the whole row is pressed.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate((min) => {
    const pressed = 'button, a[href], input, select, summary, [role="tab"], [role="row"][tabindex]'
    const isInText = (e: Element) => e.matches('a') && getComputedStyle(e).display === 'inline'
    const meets = (e: HTMLElement, x: number, y: number) => {
      const there = document.elementFromPoint(x, y)
      return there !== null && (e.contains(there) || there.contains(e) || there === e.closest('label'))
    }
    const wrong: string[] = []
    for (const e of document.querySelectorAll<HTMLElement>(pressed)) {
      // The link that skips to the content is outside of the screen until it has the focus.
      if (isInText(e) || e.closest('.svc-skip') || !e.checkVisibility()) continue
      e.scrollIntoView({ block: 'center', inline: 'center' })
      const { x, y, width, height } = e.getBoundingClientRect()
      const [middle, centre] = [x + width / 2, y + height / 2]
      if (width < 2 || height < 2 || !meets(e, middle, centre)) continue
      const half = min / 2 - 1
      const around = [
        [0, half],
        [0, -half],
        [half, 0],
        [-half, 0],
      ] as const
      if (!around.every(([dx, dy]) => meets(e, middle + dx, centre + dy)))
        wrong.push(`${Math.round(width)} × ${Math.round(height)}: ${e.outerHTML.slice(0, 120)}`)
    }
    window.scrollTo(0, 0)
    return wrong
  }, minTarget)
