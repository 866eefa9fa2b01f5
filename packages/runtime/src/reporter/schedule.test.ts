import { expect, test } from 'vitest'
import { firstReport, nextReport } from './schedule.ts'

test.each([
  ['the first comes within five seconds', firstReport(100, 0.5, 1000), 2600],
  ['the next comes an interval after the last began', nextReport(0, 200, { interval: 30_000, chance: 0.5 }), 30_000],
  ['at the least 15 % early', nextReport(0, 200, { interval: 30_000, chance: 0 }), 25_500],
  ['at the most 15 % late', nextReport(0, 200, { interval: 30_000, chance: 1 }), 34_500],
  [
    'a report longer than the interval skips turns and is not made up for',
    nextReport(0, 14_000, { interval: 5000, chance: 0.5 }),
    15_000,
  ],
  ['one that ended on its turn goes on at once', nextReport(0, 15_000, { interval: 5000, chance: 0.5 }), 15_000],
  [
    'however short time is made, no two come close',
    nextReport(0, 20, { interval: 300, chance: 0, minWait: 1100 }),
    1100,
  ],
])('%s', (_rule, due, expected) => {
  expect(due).toBe(expected)
})
