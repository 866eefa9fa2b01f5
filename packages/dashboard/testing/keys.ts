/** The keyboard in the browser tests: what has the focus, and the way to it with Tab. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'

/**
 * The names of what has the focus or, with a selector, of what it selects: its label or its text; for a row of a list,
 * the name of its agent.
 */
const namesOf = (page: Page, selector?: string): Promise<string[]> =>
  page.evaluate(
    (selected) =>
      (selected === undefined ? [document.activeElement] : [...document.querySelectorAll(selected)]).map((element) => {
        const row = element?.matches('[role="row"]') ? element.querySelector('a') : element
        const label = row instanceof HTMLInputElement ? row.labels?.[0]?.textContent : undefined
        return (row?.getAttribute('aria-label') ?? label ?? row?.textContent ?? '').trim()
      }),
    selector,
  )
const nameOfFocused = async (page: Page): Promise<string> => (await namesOf(page))[0] ?? ''
const canHaveFocus = 'a[href], :is(button, input, select, textarea):enabled, summary, [tabindex]'

export const focusIs = (page: Page, what: string): Promise<void> =>
  eventually(`${what} has the focus`, async () => expect(await nameOfFocused(page)).toBe(what))

/** Gives `target` the focus, and tries again until it has it: a busy button, for example, cannot have the focus. */
export const focusOn = (target: Locator): Promise<void> =>
  eventually(`${target} has the focus`, async () => {
    await target.focus()
    expect(await target.evaluate((element) => element === document.activeElement)).toBe(true)
  })

/**
 * Presses Tab until the element with this name has the focus, and returns the number of presses. Waits first until the
 * page has such an element that can have the focus.
 */
export async function tabTo(page: Page, what: string | RegExp, max = 40, key = 'Tab'): Promise<number> {
  const isWanted = (name: string) => (typeof what === 'string' ? name === what : what.test(name))
  await eventually(`${what} can have the focus`, async () =>
    expect((await namesOf(page, canHaveFocus)).some(isWanted)).toBe(true),
  )
  for (let presses = 1; presses <= max; presses++) {
    await page.keyboard.press(key)
    if (isWanted(await nameOfFocused(page))) return presses
  }
  throw new Error(`${max} presses of Tab did not lead to ${what}.`)
}
