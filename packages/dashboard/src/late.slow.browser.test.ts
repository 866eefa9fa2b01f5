/**
 * Tests pages whose answers are 600 ms late: nothing jumps, and nothing is said to be missing before the answer.
 * `npm test` leaves this out. It needs a browser that draws a page for several seconds, which is too slow.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EveryPageSetup, everyPage, openEveryPageSetup } from '../testing/pages.ts'

let setup: EveryPageSetup
let token: string
const web = '/api/web/w/north-wind'
const late = 600
/** The share of a window by which a page may jump in all. Browsers call less than 0.1 good. */
const maxJumps = 0.05
const bad = { state: { level: 'bad', label: 'No answer' }, health: [{ name: 'Job backup', level: 'bad' }] }

beforeAll(async () => {
  setup = await openEveryPageSetup({ SVC_TEST_LATE: String(late) })
  const made = await setup.ada.call<{ token: string }>('POST', `${web}/agents`, { name: 'mail-triage' })
  token = made.token
  const now = Date.now()
  setup.setup.storeAlerts('north-wind', [
    { agent: 'reporting', from: now - 7_200_000, to: now - 3_600_000 },
    { agent: 'reporting', rule: 'warning', level: 'warn', from: now - 1_200_000, to: null },
  ])
}, 120_000)
// The tests together take longer than the time after which an agent without a report is offline.
beforeEach(async () => {
  await setup.report()
  await setup.setup.report(token, bad)
})
afterAll(() => setup?.setup.close())

interface Watched {
  jumps: { by: number; of: string }[]
  /** Texts that say that something is missing, and that were gone later. */
  gone: string[]
  /** The answers that the service did not delay. */
  early: string[]
}

/** Runs in the page before anything else. */
function watch(): void {
  const seen = { jumps: [] as Watched['jumps'], missing: new Set<string>() }
  Object.assign(window, { seen })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, sources } = entry as unknown as { value: number; sources: { node: Node | null }[] }
      const names = sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 80) : String(node)))
      seen.jumps.push({ by: value, of: names.join(' | ') })
    }
  }).observe({ type: 'layout-shift', buffered: true })
  const look = () => {
    const text = document.querySelector('main')?.textContent ?? ''
    for (const [found] of text.matchAll(/\b(No|Nothing|None|Nobody|never)\b[^.]{0,40}/g)) seen.missing.add(found)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function watched(page: Page): Promise<Watched> {
  return await page.evaluate((late) => {
    const { jumps, missing } = (window as unknown as { seen: { jumps: Watched['jumps']; missing: Set<string> } }).seen
    const now = document.querySelector('main')?.textContent ?? ''
    const answers = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    return {
      jumps,
      gone: [...missing].filter((text) => !now.includes(text.slice(0, 12))),
      // A request that the page cancels has no status.
      early: answers
        .filter(
          ({ name, duration, responseStatus }) => name.includes('/api/web/') && responseStatus > 0 && duration < late,
        )
        .map(({ name, duration }) => `${name} ${duration} ms`),
    }
  }, late)
}

test.each(everyPage)('the page %s stands still when its answers are late', async (path) => {
  const page = await setup.setup.window(setup.ada, { width: 1280, height: 900 })
  await page.addInitScript(watch)
  await page.goto(setup.addressOf(path))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForTimeout(4000)
  const { jumps, gone, early } = await watched(page)
  expect(early).toEqual([])
  expect(gone).toEqual([])
  expect(
    jumps.reduce((all, { by }) => all + by, 0),
    JSON.stringify(jumps),
  ).toBeLessThan(maxJumps)
  await page.close()
})
