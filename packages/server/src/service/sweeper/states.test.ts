import type { Level } from '@svc/protocol'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/limits/units.ts'
import { foldedDays } from './states.ts'

type Row = [day: number, hour: number, level: Level, paused?: 0 | 1]

/** Folds changes, each given with its day and hour, and returns the rows that are left. */
function folded(rows: readonly Row[]): Row[] {
  const changes = rows.map(([day, hour, level, paused = 0], seq) => ({
    seq,
    at: day * dayMs + (hour * dayMs) / 24,
    level,
    paused,
  }))
  const { gone, moved } = foldedDays(changes)
  return changes
    .filter(({ seq }) => !gone.includes(seq))
    .map((change) => ({ ...change, at: moved.get(change.seq) ?? change.at }))
    .toSorted((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ at, level, paused }): Row => {
      const day = Math.floor(at / dayMs)
      const row = [day, ((at - day * dayMs) / dayMs) * 24, level] as const
      return paused === 0 ? [...row] : [...row, 1]
    })
}

test.each<[string, Row[], Row[]]>([
  ['no change', [], []],
  ['one change', [[1, 9, 'ok']], [[1, 0, 'ok']]],
  [
    'the worst of the last day, and its last level at its own time',
    [
      [1, 9, 'ok'],
      [1, 10, 'bad'],
      [1, 11, 'ok'],
    ],
    [
      [1, 0, 'bad'],
      [1, 11, 'ok'],
    ],
  ],
  [
    'a day that ends as its worst',
    [
      [1, 9, 'ok'],
      [1, 10, 'bad'],
      [3, 1, 'ok'],
    ],
    [
      [1, 0, 'bad'],
      [3, 1, 'ok'],
    ],
  ],
  [
    'a day that ends better: the next day begins so',
    [
      [1, 9, 'bad'],
      [1, 10, 'ok'],
      [3, 1, 'warn'],
    ],
    [
      [1, 0, 'bad'],
      [2, 0, 'ok'],
      [3, 0, 'warn'],
    ],
  ],
  [
    'a day that begins with the worst of the day before',
    [
      [1, 9, 'ok'],
      [1, 23, 'bad'],
      [2, 8, 'ok'],
      [4, 1, 'ok'],
    ],
    [
      [1, 0, 'bad'],
      [3, 0, 'ok'],
      [4, 0, 'ok'],
    ],
  ],
  [
    'a last change that is better than all of the next day',
    [
      [1, 9, 'bad'],
      [1, 10, 'ok'],
      [2, 1, 'warn'],
      [2, 2, 'ok'],
    ],
    [
      [1, 0, 'bad'],
      [2, 0, 'warn'],
      [2, 2, 'ok'],
    ],
  ],
  [
    'a pause that goes on after the worst',
    [
      [1, 9, 'bad'],
      [1, 10, 'bad', 1],
      [5, 1, 'ok'],
    ],
    [
      [1, 0, 'bad'],
      [2, 0, 'bad', 1],
      [5, 1, 'ok'],
    ],
  ],
])('folded days show their worst level: %s', (_, rows, left) => {
  expect(folded(rows)).toEqual(left)
  expect(folded(left)).toEqual(left)
})
