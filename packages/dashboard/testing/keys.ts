/** The keyboard in the browser tests: what has the focus, and the way to it with Tab. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'

/** The name of what has the focus: its label or its text; for a row of a list, the name of its agent. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const active = document.activeElement
    const row = active?.matches('[role="row"]') ? active.querySelector('a') : active
    const label = row instanceof HTMLInputElement ? row.labels?.[0]?.textContent : undefined
    return (row?.getAttribute('aria-label') ?? label ?? row?.textContent ?? '').trim()
  })

export const focusIs = (page: Page, what: string): Promise<void> =>
  eventually(`${what} has the focus`, async () => expect(await focused(page)).toBe(what))

/** Gives this the focus, once it can have it: a button that is busy is disabled. */
export const focusOn = (target: Locator): Promise<void> =>
  eventually(`${target} has the focus`, async () => {
    await target.focus()
    expect(await target.evaluate((element) => element === document.activeElement)).toBe(true)
  })

/** Presses Tab until the element with this name has the focus, and returns the number of presses. */
export async function tabTo(page: Page, what: string | RegExp, max = 40, key = 'Tab'): Promise<number> {
  for (let presses = 1; presses <= max; presses++) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (typeof what === 'string' ? now === what : what.test(now)) return presses
  }
  throw new Error(`${max} presses of Tab did not lead to ${what}.`)
}
