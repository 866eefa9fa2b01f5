import { ownMachineWords } from '@svc/protocol'
import { expect, test } from 'vitest'
import { type AlertChange, cleanChange, foldChanges, groupedBody, messageTextOf, singleBody } from './message.ts'
import { alertSummary } from './words.ts'

const at = Date.UTC(2026, 10, 22, 14, 2, 11, 345)
const since = Date.UTC(2026, 10, 22, 13, 51, 40, 999)
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const change = (more: Partial<AlertChange> = {}): AlertChange => ({
  type: 'alert.opened',
  at,
  id: 'a1',
  workspace: 'north',
  rule: 'silent',
  level: 'bad',
  subject: { kind: 'agent', name: 'mail-triage' },
  since,
  endedAt: null,
  label: null,
  detail: null,
  agents: null,
  acknowledgedBy: null,
  note: null,
  url: 'https://svc.example.org/north/agents/mail-triage',
  ...more,
})
const named = (name: string, more: Partial<AlertChange> = {}) =>
  change({ id: name, subject: { kind: 'agent', name }, ...more })
const backup = { kind: 'agent', name: 'vela-ada', item: 'Job backup' } as const
const others = { ...backup, item: '*' }
const names = (count: number) => Array.from({ length: count }, (_, i) => `agent-${i + 1}`)
const list = 'https://svc.example.org/north/alerts'

test('the body of a webhook has exactly the fields that the documents name', () => {
  expect(JSON.stringify(singleBody(change()))).toBe(
    '{"type":"alert.opened","timestamp":"2026-11-22T14:02:11Z","data":{"id":"a1","workspace":"north","rule":"silent","level":"bad",' +
      '"subject":{"kind":"agent","name":"mail-triage"},"since":"2026-11-22T13:51:40Z","summary":"mail-triage has been offline for 10 minutes",' +
      '"url":"https://svc.example.org/north/agents/mail-triage"}}',
  )
})

test('a link that only the machine of the service reaches is marked', () => {
  const { data } = singleBody(change({ url: 'http://localhost:8787/w/north/alerts' }))
  expect(data).toMatchObject({ url: 'http://localhost:8787/w/north/alerts', urlNote: ownMachineWords })
})

test('an end says when it ended, a mass outage names its agents', () => {
  expect(singleBody(change({ type: 'alert.ended', endedAt: at })).data.ended).toBe('2026-11-22T14:02:11Z')
  expect(singleBody(change({ agents: { names: ['a', 'b'], of: 3 } })).data.agents).toEqual(['a', 'b'])
})

test('an alert about a health item names it in its subject', () => {
  expect(singleBody(change({ rule: 'item', subject: backup })).data.subject).toEqual(backup)
  expect(singleBody(change()).data.subject).toEqual({ kind: 'agent', name: 'mail-triage' })
})

test('a grouped body is a list also of one change', () => {
  expect(groupedBody('north', [change()], at)).toEqual({
    type: 'alerts',
    timestamp: '2026-11-22T14:02:11Z',
    data: { workspace: 'north', alerts: [singleBody(change())] },
  })
})

test.each<[Partial<AlertChange>, string]>([
  [{}, 'mail-triage has been offline for 10 minutes'],
  [{ rule: 'bad', label: 'queue stuck' }, 'mail-triage has been at level Bad for 10 minutes: queue stuck'],
  [{ rule: 'bad', since: at, label: 'queue stuck' }, 'mail-triage is at level Bad: queue stuck'],
  [
    { rule: 'item', subject: backup, label: 'failed (exit 1) 03:12' },
    'Job backup on vela-ada has been bad for 10 minutes: failed (exit 1) 03:12',
  ],
  [{ rule: 'item', subject: backup, since: at }, 'Job backup on vela-ada is bad'],
  [
    { rule: 'item', subject: others, label: 'and 6 more' },
    'Further health items on vela-ada have been bad for 10 minutes: and 6 more',
  ],
  [
    { rule: 'item', subject: backup, type: 'alert.ended', endedAt: at },
    'Job backup on vela-ada was bad from 13:51 UTC to 14:02 UTC, for 10 minutes',
  ],
  [
    { rule: 'item', subject: others, type: 'alert.ended', endedAt: at },
    'Further health items on vela-ada were bad from 13:51 UTC to 14:02 UTC, for 10 minutes',
  ],
  [
    { rule: 'item', subject: backup, type: 'alert.unsteady' },
    'Job backup on vela-ada keeps turning bad and recovering',
  ],
  [
    { rule: 'item', subject: others, type: 'alert.unsteady' },
    'Further health items on vela-ada keep turning bad and recovering',
  ],
  [
    { rule: 'item', subject: backup, type: 'alert.acknowledged', acknowledgedBy: 'Ada' },
    'Ada acknowledged: Job backup on vela-ada has been bad since 13:51 UTC',
  ],
  [{ rule: 'run_long', since: at - second + 1 }, 'mail-triage has an active run'],
  [
    { since: at, agents: { names: names(31), of: 40 }, subject: { kind: 'workspace', name: 'north' } },
    '31 of 40 agents are offline',
  ],
  [{ rule: 'update', since: at, label: 'no space' }, 'mail-triage could not be updated: no space'],
  [{ rule: 'update', label: 'no space' }, 'mail-triage could not be updated: no space'],
  [{ rule: 'rollout', subject: { kind: 'rollout', name: 'mail@2.0.0' } }, 'The rollout of mail@2.0.0 is halted'],
  [{ rule: 'run_long' }, 'mail-triage has had an active run for 10 minutes'],
  [
    { rule: 'cost_day', subject: { kind: 'workspace', name: 'north' } },
    'The workspace north cost more today than its limit',
  ],
  [
    { agents: { names: names(31), of: 40 }, subject: { kind: 'workspace', name: 'north' } },
    '31 of 40 agents have been offline for 10 minutes',
  ],
  ...([31, null, 1] as const).map((offline) => {
    const agents = { names: names(31), of: 40, offline }
    const said = {
      31: '31 of 40 agents have been offline since 13:51 UTC',
      null: '31 of 40 agents went offline at 13:51 UTC',
      1: '31 of 40 agents went offline at 13:51 UTC, and 1 of them still is',
    }[`${offline}`]
    const change = { type: 'alert.reminder', agents, subject: { kind: 'workspace', name: 'north' } } as const
    return [change, `Still open: ${said}`] as [Partial<AlertChange>, string]
  }),
  [{ type: 'alert.reminder' }, 'Still open: mail-triage has been offline since 13:51 UTC'],
  [{ type: 'alert.unsteady' }, 'mail-triage keeps going offline and coming back'],
  [
    { type: 'alert.acknowledged', acknowledgedBy: 'Ada' },
    'Ada acknowledged: mail-triage has been offline since 13:51 UTC',
  ],
  [
    { type: 'alert.ended', endedAt: at, because: 'stopped', rule: 'bad', label: 'stuck' },
    'Closed because the agent was stopped: mail-triage was at level Bad from 13:51 UTC to 14:02 UTC, for 10 minutes',
  ],
  [
    { type: 'alert.ended', endedAt: at, because: 'stopped', rule: 'run_failed' },
    'Closed at 14:02 UTC because the agent was stopped: mail-triage had three failed runs in a row',
  ],
  [
    { type: 'alert.ended', endedAt: at, because: 'unreported', rule: 'item', subject: backup },
    'Closed because the item is no longer reported: Job backup on vela-ada was bad from 13:51 UTC to 14:02 UTC, for 10 minutes',
  ],
  [{ type: 'alert.ended', endedAt: at }, 'mail-triage was offline from 13:51 UTC to 14:02 UTC, for 10 minutes'],
  [
    { type: 'alert.ended', endedAt: at + 24 * hour },
    'mail-triage was offline from 2026-11-22 13:51 UTC to 14:02 UTC, for 1 day',
  ],
  [{ type: 'alert.ended', rule: 'update', endedAt: at }, 'Ended at 14:02 UTC: mail-triage could not be updated'],
])('%o', (more, summary) => {
  const one = change(more)
  expect(alertSummary(one.type, one, one.at)).toBe(summary)
})

test('several changes are counted, and a line has up to ten names', () => {
  const changes = [
    ...names(31).map((name) => named(name)),
    named('mail-triage', { type: 'alert.ended', rule: 'bad', endedAt: at }),
  ]
  expect(messageTextOf('north', changes, list)).toEqual({
    title: 'north: 31 opened, 1 ended',
    lines: [`Offline, opened: ${names(10).join(', ')} and 21 more`, 'Level Bad, ended: mail-triage'],
    url: list,
    level: 'bad',
  })
})

test('of several changes each health item is named with its agent', () => {
  const items = names(6).map((name) => change({ id: name, rule: 'item', subject: { ...backup, item: `Job ${name}` } }))
  expect(messageTextOf('north', items, list).lines).toEqual([
    `Bad health item, opened: ${names(6)
      .map((name) => `Job ${name} on vela-ada`)
      .join(', ')}`,
  ])
  expect(messageTextOf('north', items.slice(0, 2), list).lines[1]).toBe(
    'Job agent-2 on vela-ada has been bad for 10 minutes. Level Bad, since 13:51 UTC.',
  )
})

test('up to five changes are written as each would be alone, a line each', () => {
  const changes = [
    named('mail-triage', { rule: 'bad', label: 'Disk full', detail: 'No space on /var' }),
    named('backup', { type: 'alert.acknowledged', acknowledgedBy: 'Ada', note: 'I look at it' }),
    named('crawler', { type: 'alert.ended', endedAt: at }),
  ]
  expect(messageTextOf('north', changes, list)).toEqual({
    title: 'north: 1 opened, 1 acknowledged, 1 ended',
    lines: [
      'mail-triage has been at level Bad for 10 minutes: Disk full. Level Bad, since 13:51 UTC. No space on /var',
      'Ada acknowledged: backup has been offline since 13:51 UTC. Level Bad, since 13:51 UTC. Note: I look at it',
      'crawler was offline from 13:51 UTC to 14:02 UTC, for 10 minutes. Level Bad, since 13:51 UTC.',
    ],
    url: list,
    level: 'bad',
  })
  const lines = (count: number) =>
    messageTextOf(
      'north',
      names(count).map((name) => named(name)),
      list,
    ).lines.length
  expect([lines(5), lines(6)]).toEqual([5, 1])
})

test('words of agents and people lose the characters that control a terminal or the direction of text', () => {
  const words = 'ok \u202egpj.exe\u0007\nnext\u2066'
  const dirty = { label: words, detail: words, note: words, acknowledgedBy: words }
  const cleaned = cleanChange(
    change({ ...dirty, agents: { names: [words], of: 1 }, subject: { kind: 'agent', name: words, item: words } }),
  )
  const line = 'ok gpj.exe next'
  expect(cleaned).toEqual(
    change({
      ...{ label: line, detail: line, note: line, acknowledgedBy: line },
      ...{ agents: { names: [line], of: 1 }, subject: { kind: 'agent', name: line, item: line } },
    }),
  )
})

test('one change links to its subject and says since when', () => {
  expect(messageTextOf('north', [change({ detail: 'IMAP refused the login', note: 'I look at it' })], list)).toEqual({
    title: 'mail-triage has been offline for 10 minutes',
    lines: ['Workspace north. Level Bad, since 13:51 UTC.', 'IMAP refused the login', 'Note: I look at it'],
    url: change().url,
    level: 'bad',
  })
})

test('a mass outage names up to ten agents and the likelier cause', () => {
  const { title, lines } = messageTextOf(
    'north',
    [change({ agents: { names: names(31), of: 40 }, subject: { kind: 'workspace', name: 'north' } })],
    list,
  )
  expect(title).toContain('31 of 40 agents')
  expect(lines.slice(1)).toEqual([
    `${names(10).join(', ')} and 21 more`,
    'The network or this service is the likelier cause.',
  ])
})

test('the level of a text is the worst of the alerts that have not ended', () => {
  const level = (...changes: AlertChange[]) => messageTextOf('north', changes, list).level
  expect([
    level(change({ level: 'warn' }), named('b')),
    level(change({ level: 'warn' }), named('b', { type: 'alert.ended' })),
    level(named('b', { type: 'alert.ended' })),
  ]).toEqual(['bad', 'warn', null])
})

test.each<[string, AlertChange[], string[]]>([
  ['what opened and ended is one entry', [change(), change({ type: 'alert.ended' })], ['ended']],
  [
    'an acknowledgement in between goes with it',
    [change(), change({ type: 'alert.acknowledged' }), change({ type: 'alert.ended' })],
    ['ended'],
  ],
  [
    'what is still open keeps its acknowledgement',
    [change(), change({ type: 'alert.acknowledged' })],
    ['opened', 'acknowledged'],
  ],
  ['what became unsteady is said so', [change(), change({ type: 'alert.unsteady' })], ['unsteady']],
  ['another alert is left alone', [named('b'), change(), change({ type: 'alert.ended' })], ['opened', 'ended']],
])('while several changes wait, %s', (_rule, changes, left) => {
  expect(foldChanges(changes).map(({ type }) => type.replace('alert.', ''))).toEqual(left)
})

test.each(['stuck', 'stuck.', 'stuck!', 'stuck?', 'stuck…'])(
  'a line has one mark after the words of an agent: %s',
  (label) => {
    const two = [change({ rule: 'update', label }), change({ id: 'b', rule: 'update', label })]
    const end = label === 'stuck' ? 'stuck.' : label
    expect(messageTextOf('north', two, list).lines[0]).toBe(
      `mail-triage could not be updated: ${end} Level Bad, since 13:51 UTC.`,
    )
  },
)
