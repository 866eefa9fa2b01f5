import { expect, test } from 'vitest'
import { endedMutes, type Mute, mutedAt } from './mutes.ts'

const at = Date.UTC(2026, 10, 22, 14)
const hour = 3_600_000
const mute = (more: Partial<Mute> = {}): Mute => ({
  id: 'm',
  agentId: null,
  rule: null,
  item: null,
  from: at,
  until: at + hour,
  ...more,
})
const silent = { rule: 'silent', agentId: 'mail' } as const
const backup = { rule: 'item', agentId: 'mail', item: 'Job backup' } as const

test.each<[string, Partial<Mute>, boolean]>([
  ['of the workspace covers everything', {}, true],
  ['of the agent covers it', { agentId: 'mail' }, true],
  ['of another agent does not', { agentId: 'other' }, false],
  ['of the rule covers it', { rule: 'silent' }, true],
  ['of another rule does not', { rule: 'bad' }, false],
  ['of the agent and another rule does not', { agentId: 'mail', rule: 'bad' }, false],
  ['that is planned for later does not yet', { from: at + 1 }, false],
  ['that is over does no more', { until: at }, false],
  ['without an hour for its end covers it', { until: null }, true],
])('a mute %s', (_which, more, covered) => expect(mutedAt([mute(more)], at)(silent)).toBe(covered))

test.each<[string, Partial<Mute>, boolean]>([
  ['of the workspace covers it', {}, true],
  ['of the agent covers it', { agentId: 'mail' }, true],
  ['of the rule covers it', { rule: 'item' }, true],
  ['of the rule for the agent covers it', { rule: 'item', agentId: 'mail' }, true],
  ['of the item covers it', { rule: 'item', agentId: 'mail', item: 'Job backup' }, true],
  ['of another item does not', { rule: 'item', agentId: 'mail', item: 'Job' }, false],
  ['of the item of another agent does not', { rule: 'item', agentId: 'other', item: 'Job backup' }, false],
])('an alert about a health item: a mute %s', (_which, more, covered) =>
  expect(mutedAt([mute(more)], at)(backup)).toBe(covered),
)

test('a mute of an item covers nothing else of its agent, and ends with the alert about the item', () => {
  const ofItem = mute({ rule: 'item', agentId: 'mail', item: 'Job backup', until: null })
  expect(mutedAt([ofItem], at)(silent)).toBe(false)
  expect(endedMutes([ofItem], [backup, silent], at)).toEqual([])
  expect(endedMutes([ofItem], [{ ...backup, item: 'Job mail' }, silent], at)).toEqual([ofItem])
})

test('a mute of an agent does not cover the workspace', () => {
  expect(mutedAt([mute({ agentId: 'mail' })], at)({ rule: 'silent', agentId: null })).toBe(false)
})

test('a mute ends with its time, or with the last alert that it covers', () => {
  const untilOver = mute({ until: null, agentId: 'mail' })
  const ended = (one: Mute, open: { rule: 'silent'; agentId: string }[], now: number) =>
    endedMutes([one], open, now).length
  expect([ended(mute(), [], at + hour - 1), ended(mute(), [silent], at + hour)]).toEqual([0, 1])
  expect([ended(untilOver, [silent], at + hour), ended(untilOver, [{ ...silent, agentId: 'other' }], at)]).toEqual([
    0, 1,
  ])
  expect(ended(mute({ until: null, from: at + 1 }), [], at)).toBe(0)
})
