import { expect, test } from 'vitest'
import { unbroken } from '../../../testing/words.ts'
import { clockText } from './ClockTime.tsx'
import { exactTime, isoTimeOf, lastingText, relativeText } from './relative.ts'

const now = Date.UTC(2026, 10, 21, 12, 0, 0)
const s = 1000
const min = 60 * s
const h = 60 * min
const d = 24 * h

test.each([
  [0, 'now'],
  [4 * s, 'now'],
  [5 * s, '5 s ago'],
  [19 * s, '15 s ago'],
  [59 * s, '55 s ago'],
  [60 * s, '1 min ago'],
  [59 * min + 59 * s, '59 min ago'],
  [h, '1 h ago'],
  [23 * h + 59 * min, '23 h ago'],
  [d, '1 d ago'],
  [29 * d, '29 d ago'],
  [-3 * min, 'in 3 min'],
  [-2 * s, 'now'],
])('%i ms ago reads "%s", on one line', (ago, words) => {
  expect(relativeText(now - ago, now)).toBe(unbroken(words))
})

test('a time more than 30 days ago is a date', () => {
  expect(relativeText(now - 30 * d, now)).toBe('22 Oct')
  expect(relativeText(now - 400 * d, now)).toBe('17 Oct 2025')
})

test.each([
  [-5, '0 s'],
  [12 * s, '12 s'],
  [200 * s, '3 min 20 s'],
  [2 * h, '2 h'],
  [2 * h + 59 * s, '2 h'],
  [4 * d + 3 * h, '4 d 3 h'],
])('%i ms last "%s", on one line', (ms, words) => {
  expect(lastingText(ms)).toBe(unbroken(words))
})

test('a clock time has a date unless it is of today', () => {
  const noon = new Date(2026, 10, 21, 12).getTime()
  expect(clockText(noon - 3 * h, noon)).toBe('09:00')
  expect(clockText(noon - 3 * h + 4 * s, noon, true)).toBe('09:00:04')
  expect(clockText(noon - 13 * h, noon)).toBe('20 Nov, 23:00')
  expect(clockText(noon - 400 * d, noon)).toBe('17 Oct 2025, 12:00')
})

test('an exact time has seconds and a zone; a number outside the range of dates is not shown as one', () => {
  expect(exactTime(now)).toMatch(/2026.*:00:00 .+/)
  expect(isoTimeOf(now)).toBe('2026-11-21T12:00:00.000Z')
  expect(isoTimeOf(1e20)).toBeUndefined()
})
