import { expect, test } from 'vitest'
import type { UsageDelta } from './stored.ts'
import { assignUsageRows, maxModelsPerDay, otherModels, type UsageRows, unfoldedDays } from './usage-names.ts'

const today = 20_000
const sum = (model: string, day = today): UsageDelta => ({ day, model, runs: 1, costMicro: 10, outputTokens: 0 })
const many = (count: number, day = today) => Array.from({ length: count }, (_, i) => sum(`m${i}`, day))
const rowsWith = (names: number, { others = false, has = [] as string[] } = {}): UsageRows => ({
  has: (_, model) => has.includes(model),
  of: () => ({ names, others }),
})
const models = (sums: UsageDelta[]) => sums.map(({ model }) => model)

test('a day takes 200 names; the rest is summed under one name, and nothing is lost', () => {
  const placed = assignUsageRows([sum(''), ...many(250)], rowsWith(0), today)
  expect(placed).toHaveLength(1 + maxModelsPerDay + 1)
  expect(placed.find(({ model }) => model === otherModels)).toEqual({ ...sum(otherModels), runs: 50, costMicro: 500 })
  expect(placed.reduce((total, { costMicro }) => total + costMicro, 0)).toBe(2510)
})

test('names that a day already has need no room, even when it is full', () =>
  expect(models(assignUsageRows([sum('new'), sum('known')], rowsWith(200, { has: ['known'] }), today))).toEqual([
    otherModels,
    'known',
  ]))

test('the last free name of a day is given once', () =>
  expect(models(assignUsageRows([sum('a'), sum('b')], rowsWith(199), today))).toEqual(['a', otherModels]))

test('each day has names of its own', () =>
  expect(assignUsageRows([...many(200), ...many(200, today - 1)], rowsWith(0), today)).toHaveLength(400))

test.each([
  ['a day that was folded takes no new names', today - unfoldedDays, true, otherModels],
  ['a day that may not be folded yet takes new names beside the others', today - unfoldedDays + 1, true, 'new'],
  ['an old day that was not folded takes new names', today - unfoldedDays, false, 'new'],
])('%s', (_, day, others, model) =>
  expect(models(assignUsageRows([sum('new', day)], rowsWith(1, { others }), today))).toEqual([model]),
)
