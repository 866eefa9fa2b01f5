/**
 * Tests pages whose answers are 600 ms late: nothing jumps, and nothing is said to be missing before the answer.
 * `npm test` leaves this out. It needs a browser that draws a page for several seconds, which is too slow.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
const web = '/api/web/w/north-wind'
const late = 600
/** The share of a window by which a page may jump in all. Browsers call less than 0.1 good. */
const mostJumps = 0.05
const bad = { state: { level: 'bad', label: 'No answer' }, health: [{ name: 'Job backup', level: 'bad' }] }

beforeAll(async () => {
  setup = await openBrowserSetup({ SVC_TEST_LATE: String(late) })
  ada = await setup.ada()
  for (const name of ['mail-triage', 'nightly-report', 'old-crawler']) {
    const { token } = await ada.call<{ token: string }>('POST', `${web}/agents`, { name })
    const runs = Array.from({ length: 20 }, (_, i) => ({
      ...{ id: `run-${i}`, kind: 'mail', status: 'done', models: { large: 0.2 } },
      started: Math.floor(Date.now() / 1000) - 60 - i * 3600,
    }))
    await setup.report(token, { ...bad, runs })
  }
  const now = Date.now()
  setup.storeAlerts('north-wind', [
    { agent: 'mail-triage', from: now - 7_200_000, to: now - 3_600_000 },
    { agent: 'mail-triage', rule: 'warning', level: 'warn', from: now - 1_200_000, to: null },
  ])
})
afterAll(() => setup?.close())

interface Watched {
  jumps: { by: number; of: string }[]
  /** Texts that say that something is missing, and that were gone later. */
  gone: string[]
  /** The milliseconds of the fastest answer. */
  fastest: number
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
  return await page.evaluate(() => {
    const { jumps, missing } = (window as unknown as { seen: { jumps: Watched['jumps']; missing: Set<string> } }).seen
    const now = document.querySelector('main')?.textContent ?? ''
    const answers = performance.getEntriesByType('resource').filter(({ name: of }) => of.includes('/api/web/'))
    return {
      jumps,
      gone: [...missing].filter((text) => !now.includes(text.slice(0, 12))),
      fastest: Math.min(...answers.map(({ duration }) => duration)),
    }
  })
}

test.each([
  ['', 'link', 'mail-triage'],
  ['/agents/mail-triage', 'heading', 'mail-triage'],
  ['/agents/mail-triage?tab=runs', 'tab', 'Runs'],
  ['/agents/mail-triage?tab=commands', 'tab', 'Commands'],
  ['/alerts', 'heading', 'Alerts'],
  ['/alerts?tab=history', 'heading', 'Alerts'],
  ['/alerts?tab=rules', 'heading', 'Alerts'],
  ['/alerts?tab=channels', 'heading', 'Alerts'],
  ['/cost', 'heading', 'Cost'],
] as const)('the page %s stands still when its answers are late', async (path, role, name) => {
  const page = await setup.window(ada, { width: 1280, height: 900 })
  await page.addInitScript(watch)
  await page.goto(`${setup.url}/w/north-wind${path}`)
  await page.getByRole(role, { name }).first().waitFor()
  await page.waitForTimeout(4000)
  const { jumps, gone, fastest } = await watched(page)
  expect(fastest).toBeGreaterThanOrEqual(late)
  expect(gone).toEqual([])
  expect(
    jumps.reduce((all, { by }) => all + by, 0),
    JSON.stringify(jumps),
  ).toBeLessThan(mostJumps)
})
