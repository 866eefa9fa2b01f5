import type { AlertLine, RuleSettings } from '@svc/api'
import { expect, test } from 'vitest'
import { rule } from '../testing/rule.ts'
import {
  audienceOf,
  byUrgency,
  conditionOf,
  followUpsOf,
  muteCoverText,
  rulesOf,
  statementOf,
  tomorrowMorning,
} from './words.ts'

test.each<[Partial<RuleSettings>, string]>([
  [{}, 'When any agent is offline for 10\u00a0minutes'],
  [{ rule: 'item', after: 120 }, 'When a health item of any agent is Bad for 2\u00a0minutes'],
  [
    { rule: 'status_stale', after: 0 },
    'When the status file of any agent is older than 10\u00a0minutes and 4 times its usual interval, or than 70\u00a0minutes if it was written only once',
  ],
  [{ rule: 'update', after: 0 }, 'When an update of any agent fails'],
  [{ rule: 'cost_day', after: 0, limit: 12.5 }, 'When an agent or the workspace costs more than $12.5 in a day'],
  [
    { rule: 'run_failed', after: 0, statuses: ['failed', 'error', 'timeout', 'lost'] },
    'When the last three runs of any agent ended with failed, error, timeout or lost',
  ],
])('a rule is a sentence: %j', (more, sentence) => expect(conditionOf(rule(more))).toBe(sentence))

const escalation = { after: 900, channels: ['boss'] }

test.each<[Partial<RuleSettings>, string | null]>([
  [{}, null],
  [{ channels: [] }, 'nobody'],
  [{ channels: ['ops'] }, '#ops'],
  [{ channels: ['ops', 'mail', 'night'] }, '#ops, #mail and #night'],
  [{ escalation }, 'all channels except #boss'],
  [{ escalation: { after: 900, channels: [] } }, null],
  [{ channels: ['ops'], escalation }, '#ops'],
])('the channels of the rule %j read as %s', (more, words) => expect(audienceOf(rule(more))).toBe(words))

test.each<[Partial<RuleSettings>, string[]]>([
  [{}, []],
  [{ reminds: false }, ['Not repeated.']],
  [{ level: 'warn' }, []],
  [{ level: 'warn', escalation }, ['If nobody acknowledges it within 15\u00a0minutes, also tell #boss.']],
  [
    { reminds: false, escalation: { after: 7200, channels: ['boss', 'night'] } },
    ['Not repeated.', 'If nobody acknowledges it within 2\u00a0hours, also tell #boss and #night.'],
  ],
])('a rule says what follows: %j', (more, sentences) => expect(followUpsOf(rule(more))).toEqual(sentences))

test.each<[string | null, Partial<RuleSettings>[]]>([
  [null, []],
  [null, [{ on: false }, { channels: [] }, { channels: ['ops'] }]],
  ['the one rule that is on', [{}, { on: false }]],
  ['all 2 rules that are on', [{}, { channels: ['night', 'ops'] }]],
  ['all 2 rules that are on', [{}, { escalation: { after: 900, channels: ['night'] } }]],
  ['Offline', [{}, { channels: [] }]],
  ['Offline and Level Bad', [{}, { rule: 'bad' }, { channels: ['ops'] }]],
  ['4 of 5 rules that are on', [{}, {}, {}, {}, { channels: ['ops'] }]],
])('the channel #night is sent the alerts of %s', (words, rules) =>
  expect(rulesOf('night', rules.map(rule))).toBe(words),
)

test('an alert says what is wrong, and a mass outage how many agents are offline', () => {
  const subject = { kind: 'agent', name: 'mail' } as const
  const line = { subject, label: null, agents: null }
  expect(statementOf({ ...line, rule: 'bad', label: 'Build fails' })).toBe('Build fails')
  expect(statementOf({ ...line, rule: 'bad' })).toBe('Level Bad')
  const item = (name: string, label: string | null) =>
    statementOf({ ...line, rule: 'item', subject: { ...subject, item: name }, label })
  expect(item('Job backup', 'failed (exit 1) 03:12')).toBe('Job backup: failed (exit 1) 03:12')
  expect(item('Job backup', null)).toBe('Job backup')
  expect(item('*', 'and 6 more')).toBe('Further health items: and 6 more')
  const mass = (offline: number | null) =>
    statementOf({ ...line, rule: 'silent', agents: { names: ['a', 'b'], of: 5, offline } })
  expect([null, 2, 1, 0].map(mass)).toEqual([
    '2 of 5 agents went offline',
    '2 of 5 agents went offline',
    '2 of 5 agents went offline, 1 of them still is',
    '2 of 5 agents went offline, 0 of them still are',
  ])
})

test('what nobody has acknowledged comes first, the worst before the rest', () => {
  const line = (id: string, more: Partial<AlertLine>) =>
    ({ id, acknowledged: null, level: 'warn', ...more }) as AlertLine
  const acknowledged = { by: 'Ada', at: 1, note: null }
  const lines = [
    line('acknowledged', { level: 'bad', acknowledged }),
    line('warning', { openedAt: 9 }),
    line('old', { level: 'bad', openedAt: 1 }),
    line('new', { level: 'bad', openedAt: 2 }),
  ]
  expect(lines.toSorted(byUrgency).map(({ id }) => id)).toEqual(['new', 'old', 'warning', 'acknowledged'])
})

test('until tomorrow is until eight in the morning', () => {
  expect(tomorrowMorning(new Date(2026, 10, 30, 23, 59).getTime())).toBe(new Date(2026, 11, 1, 8).getTime())
})

test.each([
  [{ agent: 'mail', rule: null }, 'mail'],
  [{ agent: 'mail', rule: 'bad' }, 'mail, the rule “Level Bad”'],
  [{ agent: 'mail', rule: 'item', item: 'Job backup' }, 'Job backup on mail'],
  [{ agent: null, rule: 'bad' }, 'the rule “Level Bad”'],
  [{ agent: null, rule: null }, 'the workspace'],
] as const)('a mute of %j covers %s', (mute, words) => expect(muteCoverText(mute)).toBe(words))
