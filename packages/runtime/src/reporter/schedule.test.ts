import { expect, test } from 'vitest'
import { firstReportAt, timeOfNextReport } from './run.ts'

test.each([
  ['the first report comes within five seconds', firstReportAt(100, 0.5, 1000), 2600],
  [
    'the next comes an interval after the start of the last',
    timeOfNextReport(0, 200, { interval: 30_000, chance: 0.5 }),
    30_000,
  ],
  ['at most 15 % early', timeOfNextReport(0, 200, { interval: 30_000, chance: 0 }), 25_500],
  ['at most 15 % late', timeOfNextReport(0, 200, { interval: 30_000, chance: 1 }), 34_500],
  [
    'a report longer than the interval skips turns, which are not made up for',
    timeOfNextReport(0, 14_000, { interval: 5000, chance: 0.5 }),
    15_000,
  ],
  [
    'after a report that ended on a turn the next comes at once',
    timeOfNextReport(0, 15_000, { interval: 5000, chance: 0.5 }),
    15_000,
  ],
  [
    'however much time is shortened, no two come close together',
    timeOfNextReport(0, 20, { interval: 300, chance: 0, minWait: 1100 }),
    1100,
  ],
])('%s', (_rule, due, expected) => {
  expect(due).toBe(expected)
})
