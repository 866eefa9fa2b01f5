import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe that judge colours. */
const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * Runs axe on the current page and returns its findings, one line each. The debugger injects axe, so that the page's
 * content security policy need not be loosened.
 */
export async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page counts as drawn when its heading is there. Before that only the frame around the page is shown.
  await page.locator('h1').first().waitFor()
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
 * Makes all changes of colour immediate, and waits for animations that are running. With reduced motion each transition
 * would still take a hundredth of a millisecond, and the elements inside would start theirs after it, so the page would
 * be drawn again for each level of its elements.
 */
const standsStill = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    if (document.adoptedStyleSheets.length === 0) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('*, *::before, *::after { transition: none !important }')
      document.adoptedStyleSheets.push(sheet)
    }
    const ending = () =>
      document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    for (let all = ending(); all.length > 0; all = ending())
      await Promise.allSettled(all.map(({ finished }) => finished))
  })

/**
 * The faults of a page in windows of these widths, light and dark: findings of axe, and content wider than the window.
 * `whole` waits until the page is complete. In the dark only the rules about colours run, because the rest of the page
 * is the same.
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
    // The colour scheme that is already shown comes first, because each change draws the whole page again.
    const schemes = ['light', 'dark'] as const
    for (const scheme of turn % 2 === 0 ? schemes : schemes.toReversed()) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' })
      await drawn(page)
      const found = await axe(page, scheme === 'dark' ? ofColours : undefined)
      const wider = await overflow(page)
      if (wider > 0) found.push(`${wider} pixels wider than the window`)
      wrong.push(...found.map((fault) => `${scheme} at ${width}: ${fault}`))
    }
  }
  return wrong
}

/**
 * The number of pixels by which the page is wider than its window. If there are any, the page is faulty, since people
 * would have to scroll sideways.
 */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Changes the width of the window. Resolves when the page has been laid out for it. */
export async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await drawn(page)
}

const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
