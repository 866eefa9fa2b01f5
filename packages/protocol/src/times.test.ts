import { expect, test } from 'vitest'
import { clockSlackMs, eventTime, isAhead, isTooFarAhead, latestDeadline } from './times.ts'

const now = 1_800_000_000_000
const minute = 60_000
const length = 15 * minute

test.each([
  ['just over', -1, false],
  ['at its end', 0, false],
  ['just before its end', 1, true],
  ['its full length away', length, true],
  ['its full length and a minute away', length + minute, true],
  ['farther away than that', length + minute + 1, false],
  ['three hours ahead', 180 * minute, false],
])('a deadline that is %s', (_name, away, ahead) => {
  expect(isAhead(now + away, now, length)).toBe(ahead)
})

test('the latest deadline is the last one that can be', () => {
  expect(isAhead(latestDeadline(now, length), now, length)).toBe(true)
  expect(isAhead(latestDeadline(now, length) + 1, now, length)).toBe(false)
})

test('an event that lies ahead counts as one of now, and was impossible if it lies more than a minute ahead', () => {
  expect([-minute, 0, minute].map((away) => eventTime(now + away, now) - now)).toEqual([-minute, 0, 0])
  expect([-minute, clockSlackMs, clockSlackMs + 1].map((away) => isTooFarAhead(now + away, now))).toEqual([
    false,
    false,
    true,
  ])
})
