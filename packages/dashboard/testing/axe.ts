import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds wrong on the page as it stands, one line each; empty when nothing. It is brought in by the debugger, so
 * that the page's content security policy need not be loosened for it.
 */
export async function axe(page: Page): Promise<string[]> {
  // "As it stands" begins when the page stands: the frame comes with the program, the rest with its route.
  await page.locator('h1').first().waitFor()
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(ending.map(({ finished }) => finished)).then(() => undefined)
  })
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: source })
  const { violations } = (await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (root: Document, options: object) => Promise<AxeResults> } }
    return axe.run(document, { resultTypes: ['violations'] })
  })) as AxeResults
  await debug.detach()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.replaceAll(/\s+/g, ' ')}`),
  )
}

/** How many pixels the page is wider than its window: a page that must be pushed sideways is broken. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
