import { expect, test } from 'vitest'
import { failedUpdate } from './facts.ts'

const at = 1_790_000_000_000
const hold = { version: '2.0.0', outcome: 'rolled_back', message: 'it said bad', at }
const wish = (version: string) => ({ version, at, by: 'Ada', mark: null })
const attempt = (outcome: string) => ({ version: '1.0.0', outcome, message: 'x' })
const found = (wishes: object, attempts: object = {}) =>
  failedUpdate({ wishes: JSON.stringify(wishes), attempts: JSON.stringify(attempts) })

test.each<[string, object, object, object | null]>([
  ['nothing is held', {}, {}, null],
  ['its blueprint version is held', { blueprintHold: hold }, {}, { version: '2.0.0', outcome: 'rolled_back' }],
  [
    'the same version is still requested',
    { blueprintHold: hold, blueprint: wish('2.0.0') },
    {},
    { version: '2.0.0', outcome: 'rolled_back' },
  ],
  ['another version was requested', { blueprintHold: hold, blueprint: wish('2.0.1') }, {}, null],
  ['it has reported a good outcome since', { blueprintHold: hold }, { applied: attempt('ok') }, null],
  [
    'it reports the bad outcome',
    { blueprintHold: hold },
    { applied: attempt('rolled_back') },
    { version: '2.0.0', outcome: 'rolled_back' },
  ],
  [
    'its runtime version is held',
    { runtimeHold: { ...hold, outcome: 'failed', serial: 1 } },
    {},
    { version: '2.0.0', outcome: 'failed' },
  ],
  [
    'the hold of its runtime is over',
    { runtimeHold: { ...hold, serial: 1 } },
    { runtime: { version: '2', applied: attempt('ok') } },
    null,
  ],
])('an update counts as failed or not: %s', (_fact, wishes, attempts, expected) => {
  expect(found(wishes, attempts)).toEqual(expected)
})

test('an agent without updates has none that failed', () => {
  expect(failedUpdate({ wishes: null, attempts: null })).toBeNull()
})
