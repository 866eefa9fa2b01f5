import type { RuleSettings } from '@svc/api'
import { expect, test } from 'vitest'
import { rule } from '../testing/rule.ts'
import { hasField, ruleChangeOf, ruleFormErrors, ruleValuesOf } from './rule-form.ts'

const escalation = { after: 7200, channels: ['boss'] }

test.each<[string, Partial<RuleSettings>, object]>([
  [
    'a rule with its defaults',
    {},
    { rule: 'silent', channels: null, filter: null, after: 600, reminds: true, escalation: null },
  ],
  [
    'a rule with channels and an escalation',
    { channels: ['ops'], filter: 'tag:prod', reminds: false, escalation },
    { rule: 'silent', channels: ['ops'], filter: 'tag:prod', after: 600, reminds: false, escalation },
  ],
  [
    'the rule about the cost of a day',
    { rule: 'cost_day', level: 'warn', after: 0, limit: 12.5 },
    { rule: 'cost_day', channels: null, filter: null, after: 0, limit: 12.5, escalation: null },
  ],
  [
    'the rule about failed runs',
    { rule: 'run_failed', after: 0, statuses: ['failed', 'error'] },
    {
      rule: 'run_failed',
      channels: null,
      filter: null,
      after: 0,
      statuses: ['failed', 'error'],
      reminds: true,
      escalation: null,
    },
  ],
  [
    'the rule about commands',
    { rule: 'command', level: 'warn', after: 0 },
    { rule: 'command', channels: null, filter: null },
  ],
  [
    'the rule about rollouts',
    { rule: 'rollout', after: 0 },
    { rule: 'rollout', channels: null, after: 0, reminds: true, escalation: null },
  ],
])('the form of %s, sent unchanged, keeps the rule and names only fields that it has', (_, more, sent) => {
  expect(ruleChangeOf(rule(more), ruleValuesOf(rule(more)))).toEqual(sent)
})

test('only alerts of the level Bad are repeated, and only the rule about commands cannot escalate', () => {
  const may = (more: Partial<RuleSettings>) => [hasField.reminders(rule(more)), hasField.escalation(rule(more))]
  expect(may({})).toEqual([true, true])
  expect(may({ rule: 'warning', level: 'warn' })).toEqual([false, true])
  expect(may({ rule: 'command', level: 'warn' })).toEqual([false, false])
})

test('an escalation is proposed after 15 minutes, needs a channel and a time, and is removed by its checkbox', () => {
  const values = { ...ruleValuesOf(rule()), escalates: true }
  expect(values.escalateAfter).toEqual({ number: '15', unit: 'minutes' })
  expect(ruleFormErrors.secondChannels([], values)).toBe('Choose at least one channel.')
  expect(ruleFormErrors.secondChannels(['boss'], values)).toBeNull()
  for (const number of ['0', '', 'soon', '-1', '1.5'])
    expect(ruleFormErrors.escalateAfter({ number, unit: 'minutes' }, values), number).toBe(
      'Enter a whole number above 0.',
    )
  expect(ruleFormErrors.escalateAfter({ number: '2', unit: 'hours' }, values)).toBeNull()
  const removed = { ...ruleValuesOf(rule({ escalation })), escalates: false, secondChannels: [] }
  expect([
    ruleFormErrors.secondChannels([], removed),
    ruleFormErrors.escalateAfter({ number: '', unit: 'hours' }, removed),
  ]).toEqual([null, null])
  expect(ruleChangeOf(rule({ escalation }), removed)).toMatchObject({ escalation: null })
})

test('statuses are separated by commas, and an empty limit is none', () => {
  const failed = rule({ rule: 'run_failed' })
  expect(ruleChangeOf(failed, { ...ruleValuesOf(failed), statuses: ' failed,, timeout ' })).toMatchObject({
    statuses: ['failed', 'timeout'],
  })
  const cost = rule({ rule: 'cost_day', limit: 5 })
  expect(ruleChangeOf(cost, { ...ruleValuesOf(cost), limit: ' ' })).toMatchObject({ limit: null })
  expect([ruleFormErrors.limit('0'), ruleFormErrors.limit('5.5')]).toEqual([
    'Enter an amount, or nothing for no limit.',
    null,
  ])
})

test('a filter takes only keys that say which agent it is, and an empty one is none', () => {
  const values = { ...ruleValuesOf(rule()), filter: ' tag:prod ' }
  expect(ruleChangeOf(rule(), values)).toMatchObject({ filter: 'tag:prod' })
  expect(ruleChangeOf(rule({ filter: 'tag:prod' }), { ...values, filter: ' ' })).toMatchObject({ filter: null })
  expect([ruleFormErrors.filter('-tag:prod host:build-*'), ruleFormErrors.filter('')]).toEqual([null, null])
  expect(ruleFormErrors.filter('level:bad')).toMatch(/level: changes with what the rule is about\.$/)
})
