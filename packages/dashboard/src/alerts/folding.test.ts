import type { AlertLine } from '@svc/api'
import { expect, test } from 'vitest'
import { foldAlerts, foldText, mutesOf } from './AlertsPage.tsx'

const alert = (id: string, more: Partial<AlertLine> = {}): AlertLine => ({
  id,
  rule: 'bad',
  level: 'bad',
  subject: { kind: 'agent', name: id },
  state: 'open',
  since: 0,
  openedAt: 1,
  endedAt: null,
  acknowledged: null,
  muted: false,
  label: 'HTTP 401',
  agent: id,
  rollout: null,
  agents: null,
  ...more,
})
const item = (name: string, item: string) => ({ kind: 'agent', name, item }) as const
const acknowledged = { by: 'Ada', at: 2, note: null }

test.each<[string, AlertLine[], string[][]]>([
  ['one rule and label', [alert('a'), alert('b'), alert('c')], [['a', 'b', 'c']]],
  ['opened together', [alert('a-10'), alert('a-9')], [['a-9', 'a-10']]],
  ['another label', [alert('a'), alert('b', { label: 'HTTP 500' }), alert('c')], [['a', 'c'], ['b']]],
  ['another rule', [alert('a'), alert('b', { rule: 'silent' })], [['a'], ['b']]],
  ['another item', [alert('a', { subject: item('a', 'x') }), alert('b', { subject: item('b', 'y') })], [['a'], ['b']]],
  ['some are acknowledged', [alert('a', { acknowledged }), alert('b')], [['b', 'a']]],
  [
    'about no agent, or about many',
    [
      alert('a', { agent: null }),
      alert('b', { agent: null }),
      alert('c', { agents: { names: ['x'], of: 2, offline: 1 } }),
    ],
    [['a'], ['b'], ['c']],
  ],
  ['a worse one comes first', [alert('a', { level: 'warn', rule: 'disk' }), alert('b')], [['b'], ['a']]],
])('alerts are folded by cause: %s', (_what, rows, folds) => {
  expect(foldAlerts(rows).map(({ alerts }) => alerts.map(({ id }) => id))).toEqual(folds)
})

test('updates that failed with a halted rollout follow its line', () => {
  const halted = alert('r', { rule: 'rollout', agent: null, rollout: 'r', label: null, openedAt: 2 })
  const rows = [
    alert('x', { openedAt: 4 }),
    ...[alert('a', { rule: 'update', within: 'r', openedAt: 3 }), alert('b', { rule: 'update', within: 'r' })],
    alert('c', { rule: 'update', label: '2.0 failed', within: 'gone', openedAt: 3 }),
    halted,
  ]
  expect(foldAlerts(rows).map(({ alerts, inside }) => [alerts.map(({ id }) => id).join(), inside])).toEqual([
    ['x', false],
    ['c', false],
    ['r', false],
    ['a,b', true],
  ])
})

test('a fold names its cause and the number of agents', () => {
  const [fold] = foldAlerts([alert('a'), alert('b')])
  expect(fold && foldText(fold)).toBe('HTTP 401: 2 agents')
})

test.each([
  ['The password was changed.', 'The password was changed: 2 agents'],
  ['Disk full!', 'Disk full: 2 agents'],
  ['waiting…', 'waiting: 2 agents'],
  ['next: ', 'next: 2 agents'],
  ['1.2.', '1.2: 2 agents'],
  [null, 'Level Bad: 2 agents'],
  ['…', 'Level Bad: 2 agents'],
])('a fold reads well, however its label ends: %s', (label, text) => {
  const [fold] = foldAlerts([alert('a', { label }), alert('b', { label })])
  expect(fold && foldText(fold)).toBe(text)
})

test('the mutes of selected alerts cover each agent or item once, and what only admins may mute is left out', () => {
  const rows = [alert('a'), alert('a'), alert('b', { muted: true }), alert('c', { subject: item('c', 'x') })]
  const workspace = alert('w', { agent: null, rule: 'cost_day' })
  const mutes = [
    { agent: 'a', rule: null, item: null },
    { agent: 'c', rule: 'bad', item: 'x' },
  ]
  expect(mutesOf([...rows, workspace], false)).toEqual(mutes)
  expect(mutesOf([...rows, workspace], true)).toEqual([...mutes, { agent: null, rule: 'cost_day', item: null }])
})
