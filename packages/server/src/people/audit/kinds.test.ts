import { operations } from '@svc/api'
import { expect, test } from 'vitest'
import { foldableKinds } from './kinds.ts'

/** The kinds of operations that need a proof for what they do under another kind. */
const provenAsOthers = ['workspace.renamed']

test('no line about what needs a proof may be summed up', () => {
  const proven = operations.flatMap(({ proof, change }) =>
    proof !== undefined && Array.isArray(change?.audit) ? (change.audit as string[]) : [],
  )
  expect(proven.length).toBeGreaterThan(20)
  expect(proven.filter((kind) => foldableKinds.includes(kind))).toEqual(provenAsOthers)
})
