import type { CostPage } from '@svc/api'
import { expect, test } from 'vitest'
import { costNameText, costRequestOf, costStack } from './costs.ts'

const now = Date.UTC(2026, 10, 27, 12)

test.each([
  [{}, { from: '2026-10-29', by: 'day', per: 'model' }],
  [
    { days: '7', per: 'agent' },
    { from: '2026-11-21', by: 'day', per: 'agent' },
  ],
  [
    { days: '400', per: 'nothing' },
    { from: '2025-10-24', by: 'week' },
  ],
  [
    { from: '2026-01-01', to: '2026-01-31', by: 'month' },
    { from: '2026-01-01', to: '2026-01-31', by: 'month', per: 'model' },
  ],
  [{ to: '2026-01-31' }, { from: '2026-01-02', to: '2026-01-31', by: 'day', per: 'model' }],
  [{ to: 'yesterday' }, { from: '2026-10-29', to: 'yesterday', by: 'day', per: 'model' }],
] as const)('the choices %j ask for %j', (search, asked) => expect(costRequestOf(search, now)).toEqual(asked))

const sums = (cost: number) => ({ cost, runs: null, outputTokens: null })

test('a model may have the words of another series, and every cost is in the chart', () => {
  const page: CostPage = {
    ...{ from: '2026-11-21', to: '2026-11-22', total: sums(10), deletedAgents: 0, limit: null },
    names: [
      { name: '2 others', deleted: false, ...sums(6) },
      { name: '(deleted)', deleted: false, ...sums(2) },
      { name: null, deleted: false, ...sums(1) },
    ],
    others: { count: 1, ...sums(1) },
    columns: [
      { from: '2026-11-21', cost: 7, parts: [4, 2] },
      { from: '2026-11-22', cost: 3, parts: [2, 0] },
    ],
  }
  const { series, columns, total, max } = costStack(page, 'model')
  expect(series.map(({ name, total, color }) => [name, total, color])).toEqual([
    ['2 others', 6, 0],
    ['(deleted)', 2, 1],
    ['2 others', 2, null],
  ])
  expect(columns.map((column) => [column.total, column.parts.map(({ value }) => value)])).toEqual([
    [7, [4, 2, 1]],
    [3, [2, 1]],
  ])
  expect([total, max]).toEqual([10, 7])
})

test('what has no name has words, and deleted agents are counted', () => {
  const deleted = { name: '(deleted)', deleted: true, cost: 1 }
  expect(costNameText(deleted, 'agent', 2)).toBe('2 deleted agents')
  expect(costNameText(deleted, 'blueprint', 1)).toBe('1 deleted agent')
  expect(costNameText({ ...deleted, deleted: false }, 'model', 2)).toBe('(deleted)')
  const none = { name: null, deleted: false, cost: 1 }
  expect([costNameText(none, 'model', 0), costNameText(none, 'blueprint', 0)]).toEqual([
    'Model not named',
    'No blueprint',
  ])
  // The sums of all models are then above the total.
  expect(costNameText({ ...none, cost: -1 }, 'model', 0)).toBe('Models cost more than their runs')
})
