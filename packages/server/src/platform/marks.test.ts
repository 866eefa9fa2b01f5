import { expect, test } from 'vitest'
import { type CommitLoss, type ConfirmedCount, commitLossOf, type StoredCount } from './marks.ts'

const known: ConfirmedCount = { epoch: 'e', node: 'n', count: 10, at: 5_000 }

test.each<[string, ConfirmedCount | undefined, StoredCount, CommitLoss | undefined]>([
  ['the same count', known, { epoch: 'e', row: { count: 10, at: 5_000 } }, undefined],
  ['a higher count, as after an answer that was lost', known, { epoch: 'e', row: { count: 11, at: 6_000 } }, undefined],
  ['a lower count', known, { epoch: 'e', row: { count: 7, at: 2_000 } }, { from: 2_000, until: 5_000 }],
  [
    'no count, from before the first one of this node',
    known,
    { epoch: 'e', row: undefined },
    { from: null, until: 5_000 },
  ],
  ['a lower count of another history, after a restore', known, { epoch: 'f', row: { count: 7, at: 2_000 } }, undefined],
  ['another database', known, { epoch: undefined, row: undefined }, undefined],
  ['a node that counts for the first time', undefined, { epoch: 'e', row: undefined }, undefined],
  ['a node that lost its data folder', undefined, { epoch: 'e', row: { count: 7, at: 2_000 } }, undefined],
])('%s', (_what, mark, found, loss) => {
  expect(commitLossOf(mark, found)).toEqual(loss)
})
