import { expect, test } from 'vitest'
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
  [30 * d, '22 Oct'],
  [400 * d, '17 Oct 2025'],
  [-3 * min, 'in 3 min'],
  [-2 * s, 'now'],
])('%i ms ago reads "%s"', (ago, words) => {
  expect(relativeText(now - ago, now)).toBe(words)
})

test.each([
  [-5, '0 s'],
  [12 * s, '12 s'],
  [200 * s, '3 min 20 s'],
  [2 * h, '2 h'],
  [4 * d + 3 * h, '4 d 3 h'],
])('%i ms last "%s"', (ms, words) => {
  expect(lastingText(ms)).toBe(words)
})

test('an exact time has seconds and a zone; a number outside the range of dates is not shown as one', () => {
  expect(exactTime(now)).toMatch(/2026.*:00:00 .+/)
  expect(isoTimeOf(now)).toBe('2026-11-21T12:00:00.000Z')
  expect(isoTimeOf(1e20)).toBeUndefined()
})
