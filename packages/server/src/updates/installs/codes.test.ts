import { expect, test } from 'vitest'
import { codeMs, codeState } from './codes.ts'

const minute = 60_000
const issued = Date.UTC(2026, 10, 21, 12)
const code = { redeemed_at: null, revoked_at: null, expires_at: issued + codeMs }

test.each([
  ['as soon as it is issued', 0, 'live'],
  ['until fifteen minutes have passed', 15 * minute - 1, 'live'],
  ['after fifteen minutes', 15 * minute, 'expired'],
  ['by the clock of another node, which is a minute behind', -minute, 'live'],
  ['after the clock was set back by more than a minute', -minute - 1, 'expired'],
  ['after the clock was set back by three hours', -180 * minute, 'expired'],
  ['after the clock was set forward by three hours', 180 * minute, 'expired'],
])('an install code %s', (_when, passed, state) => {
  expect(codeState(code, issued + passed)).toBe(state)
})
