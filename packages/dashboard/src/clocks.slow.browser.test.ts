/**
 * Opens every page in browsers whose machine has a wrong clock, and looks at all that is shown from the first frame on.
 * Nothing may differ from what a browser with the right clock shows. `npm test` leaves this out.
 * packages/dashboard/src/ui/time/service-time.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { type EveryPageSetup, everyPage, openEveryPageSetup } from '../testing/pages.ts'

const minute = 60_000
let setup: EveryPageSetup

beforeAll(async () => {
  setup = await openEveryPageSetup()
})
afterAll(() => setup?.setup.close())

/** Matches the lines about times. */
const aboutTime = /\bago\b|\bnow\b|\bin\s\d|offline|just now|today|yesterday|tomorrow|until|expire|\bold\b|\d:\d\d/i
/** The name of a filter of the list, which is no line about a time. */
const filterName = 'Offline'
const said = (line: string): string =>
  line
    .replace(/just now|\bnow\b|\b\d+\ss\sago|\b[0-5]\smin\sago/g, 'SOON AGO')
    .replace(/\bin\s(\d+\ss|a moment)/g, 'IN SOON')
    .replace(/\d+/g, (number) => (Number(number) > 1 ? '#' : number))
    .trim()

/** Opens a page in a browser whose clock may be wrong; returns the texts about times that it showed. */
async function shownAt(page: Page, address: string): Promise<string[]> {
  await page.goto(setup.addressOf(address))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  // The page is complete when nothing new was shown for a while. Its clock may be wrong, but goes on.
  const stillFor = () => page.evaluate(() => performance.now() - (globalThis as unknown as { newAt: number }).newAt)
  await eventually(`${address} shows nothing new`, async () => expect(await stillFor()).toBeGreaterThan(700))
  const lines = await page.evaluate(() => [...(globalThis as unknown as { shown: Set<string> }).shown])
  return [...new Set(lines.filter((line) => aboutTime.test(line) && line !== filterName).map(said))]
}

async function browserWith(wrongBy: number): Promise<Page> {
  const own = await setup.setup.visitor({ own: true })
  await own.context.addCookies(await setup.ada.context.cookies())
  await own.page.addInitScript((by) => {
    const Real = Date
    globalThis.Date = new Proxy(Real, {
      construct: (target, given) => (given.length === 0 ? new Real(Real.now() + by) : Reflect.construct(target, given)),
      get: (target, name) => (name === 'now' ? () => Real.now() + by : Reflect.get(target, name)),
    })
    const shown = new Set<string>()
    Object.assign(globalThis, { shown, newAt: 0 })
    const look = () => {
      const before = shown.size
      for (const line of (document.body?.innerText ?? '').split('\n')) shown.add(line)
      if (shown.size > before) Object.assign(globalThis, { newAt: performance.now() })
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, wrongBy)
  return own.page
}

test.each([
  ['45 min ahead', 45 * minute],
  ['5 h behind', -300 * minute],
])('no page judges by the clock of a browser that is %s', async (_name, wrongBy) => {
  const right = await browserWith(0)
  const wrong = await browserWith(wrongBy)
  for (const address of everyPage) {
    await setup.report()
    const expected = await shownAt(right, address)
    const found = await shownAt(wrong, address)
    let others = found.filter((line) => !expected.includes(line))
    // An agent may have gone offline between the two visits. Then the right clock shows it now, too.
    if (others.length > 0) {
      const later = await shownAt(right, address)
      others = others.filter((line) => !later.includes(line))
    }
    expect([address, others]).toEqual([address, []])
  }
})
