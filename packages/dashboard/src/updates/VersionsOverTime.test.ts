import { expect, test } from 'vitest'
import { byVersion } from './parts/version-order.ts'
import { versionColumnsOf } from './VersionsOverTime.tsx'

const now = Date.parse('2026-11-27T12:00:00Z') // a Friday
const days = [
  { date: '2026-11-18', agents: { '1.0.0': 5 } },
  { date: '2026-11-25', agents: { '1.0.0': 4, '1.1.0': 1 } },
  { date: '2026-11-26', agents: { '1.0.0': 1, '1.1.0': 3, '': 2 } },
]

test('each day has a column, and a day that was not counted is empty', () => {
  expect(versionColumnsOf({ now, days }, 3)).toEqual([
    { key: '2026-11-25', parts: { '1.0.0': 4, '1.1.0': 1 } },
    { key: '2026-11-26', parts: { '1.0.0': 1, '1.1.0': 3, 'rare versions': 2 } },
    { key: '2026-11-27', parts: {} },
  ])
})

test('of many days, a week has the figures of its last day that was counted', () => {
  const weeks = versionColumnsOf({ now, days }, 400)
  expect(weeks).toHaveLength(58)
  expect(weeks.slice(-2)).toEqual([
    { key: '2026-11-16', parts: { '1.0.0': 5 } },
    { key: '2026-11-23', parts: { '1.0.0': 1, '1.1.0': 3, 'rare versions': 2 } },
  ])
})

test('versions are sorted by their precedence, and what is no version is last', () => {
  expect(['rare versions', '1.10.0', '1.9.0', '1.10.0-rc.1'].toSorted(byVersion)).toEqual([
    '1.9.0',
    '1.10.0-rc.1',
    '1.10.0',
    'rare versions',
  ])
})
