import { expect, test } from 'vitest'
import { failedUpdateOf } from './failed-update.ts'

const none = {
  wished: null,
  wishState: 'none',
  runtimeWished: null,
  runtimeWishState: 'none',
  runtimeHeld: false,
} as const

test.each<[what: Partial<Parameters<typeof failedUpdateOf>[0]>, words: string | undefined, says: string | undefined]>([
  [{}, undefined, undefined],
  [{ wished: '0.3.0', wishState: 'trying' }, undefined, undefined],
  [{ wished: '0.3.0', wishState: 'rolled_back' }, 'rolled back', 'Version 0.3.0 was tried and rolled back'],
  [{ wishState: 'failed' }, 'failed', 'The update could not be installed'],
  [{ wished: '0.3.0', wishState: 'held' }, 'on hold', 'Version 0.3.0 is on hold'],
  [{ runtimeHeld: true }, 'runtime on hold', 'The served runtime version is on hold'],
  [{ runtimeWished: '1.2.0', runtimeWishState: 'failed' }, 'runtime failed', 'Runtime 1.2.0 could not be installed'],
  [
    { wished: '2.0.0', wishState: 'held', runtimeWished: '1.2.0', runtimeWishState: 'rolled_back' },
    'runtime rolled back',
    'Runtime 1.2.0 was tried and rolled back',
  ],
])('of %j the worst is said: %s', (updates, words, says) => {
  const failed = failedUpdateOf({ ...none, ...updates })
  expect([failed?.words, failed?.says]).toEqual([words, says])
})
