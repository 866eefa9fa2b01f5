import { expect, test } from 'vitest'
import { sampleReport } from '../testing/sample.ts'
import { readStatusFile } from './status-file.ts'

const now = 1_790_000_000_000

const read = (input: unknown) => readStatusFile(JSON.parse(JSON.stringify(input)), now)

test.each([[null], [[]], ['ok'], [1]])('2.11: %j is not a status file', (input) => expect(read(input)).toBeUndefined())

test('2.11: a whole status file is kept as it is', () => {
  const { state, health, active, gauges, runs, panels } = sampleReport
  const status = { agent: { version: '1.4.0' }, state, health, active, gauges: gauges?.slice(0, 1), runs, panels }
  expect(read(status)).toEqual({ status, unknown: [], dropped: [] })
})

test.each([
  [
    '2.11: only the named keys are kept',
    { protocol: 1, settings: {}, controls: [], acks: [], account: {}, state: { level: 'ok' } },
    { state: { level: 'ok' } },
    ['protocol', 'settings', 'controls', 'acks', 'account'],
    [],
  ],
  [
    '2.11: only the version of the agent is kept, at most 60 characters',
    { agent: { version: 'v'.repeat(61), host: 'h' } },
    { agent: { version: 'v'.repeat(60) } },
    ['agent.host'],
    [],
  ],
  ['2.11: a state needs its level', { state: { label: 'x' } }, {}, [], ['state']],
  ['2.1: an unknown level is read as info', { state: { level: 'odd' } }, { state: { level: 'info' } }, [], []],
  [
    '2.11: a health item needs name and level',
    { health: [{ name: 'a' }, { level: 'ok' }, { name: 'b', level: 'ok' }] },
    { health: [{ name: 'b', level: 'ok' }] },
    [],
    ['health[0]', 'health[1]'],
  ],
  [
    '2.11: a gauge needs name and used',
    { gauges: [{ name: 'a' }, { used: 1 }, { name: 'b', used: 1 }] },
    { gauges: [{ name: 'b', used: 1 }] },
    [],
    ['gauges[0]', 'gauges[1]'],
  ],
  ['2.11: a run needs its id', { runs: [{ status: 'x' }, { id: 'a' }] }, { runs: [{ id: 'a' }] }, [], ['runs[0]']],
  ['2.11: a list panel needs items', { panels: [{ type: 'list', title: 't' }] }, { panels: [] }, [], ['panels[0]']],
  ['2.11: a kv panel needs items', { panels: [{ type: 'kv', title: 't' }] }, { panels: [] }, [], ['panels[0]']],
  [
    '2.11: a table needs columns and rows',
    {
      panels: [
        { type: 'table', title: 't', rows: [] },
        { type: 'table', title: 't', columns: [] },
      ],
    },
    { panels: [] },
    [],
    ['panels[0]', 'panels[1]'],
  ],
  [
    '2.11: a text panel needs lines',
    {
      panels: [
        { type: 'text', title: 't' },
        { type: 'text', title: 't', lines: [] },
      ],
    },
    { panels: [{ type: 'text', title: 't', lines: [] }] },
    [],
    ['panels[0]'],
  ],
  [
    'D55: unknown keys at any level are listed',
    {
      health: [{ name: 'a', level: 'ok', colour: 1 }],
      panels: [{ type: 'list', title: 't', items: [{ title: 'x', 'a\u0001b': 1 }] }],
    },
    { health: [{ name: 'a', level: 'ok' }], panels: [{ type: 'list', title: 't', items: [{ title: 'x' }] }] },
    ['health[0].colour', 'panels[0].items[0].ab'],
    [],
  ],
  [
    'D55: a dropped value inside a kept part is listed with its place',
    { runs: [{ id: 'a', cost_usd: -1, models: { m: -1 }, subjects: [{ url: 'x' }] }] },
    { runs: [{ id: 'a', models: {}, subjects: [] }] },
    [],
    ['runs[0].cost_usd', 'runs[0].models.m', 'runs[0].subjects[0]'],
  ],
  [
    'D55: if a whole part is dropped, only that part is listed',
    { health: [{ level: 'ok', colour: 1, detail: 7 }] },
    { health: [] },
    [],
    ['health[0]'],
  ],
  [
    'D55: a bad cell is listed, and its row stays',
    { panels: [{ type: 'table', title: 't', columns: ['a'], rows: [[7]] }] },
    { panels: [{ type: 'table', title: 't', columns: ['a'], rows: [['']] }] },
    [],
    ['panels[0].rows[0][0]'],
  ],
  [
    'D55: a bad item between good ones of the same name is listed with its place',
    { gauges: [{ name: 'a', used: 1 }, { name: 'a' }, { name: 'a', used: 2 }] },
    {
      gauges: [
        { name: 'a', used: 1 },
        { name: 'a', used: 2 },
      ],
    },
    [],
    ['gauges[1]'],
  ],
  [
    '2: a cut text is not listed',
    { state: { level: 'ok', label: 'x'.repeat(81) } },
    { state: { level: 'ok', label: 'x'.repeat(80) } },
    [],
    [],
  ],
  [
    '2.1: a null counts as missing',
    { state: null, health: [{ name: 'a', level: 'ok', detail: null }] },
    { health: [{ name: 'a', level: 'ok' }] },
    [],
    [],
  ],
])('%s', (_rule, input, status, unknown, dropped) => expect(read(input)).toEqual({ status, unknown, dropped }))

test('D12: if a file has more than 2,000 runs the newest are kept, and the number dropped is listed', () => {
  const runs = Array.from({ length: 2100 }, (_, i) => ({ id: `r${i}`, started: 2100 - i }))
  expect(read({ runs })).toEqual({
    status: { runs: runs.slice(0, 2000) },
    unknown: [],
    dropped: ['runs (the oldest 100 of 2100)'],
  })
})

test('D55: at most ten places are listed', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 1]))
  expect(read(many)?.unknown).toEqual(Array.from({ length: 10 }, (_, i) => `k${i}`))
  expect(read({ gauges: Array.from({ length: 30 }, () => 1) })?.dropped).toHaveLength(10)
})
