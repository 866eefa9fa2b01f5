import { expect, test } from 'vitest'
import { sampleReport } from '../testing/sample.ts'
import { limits } from './limits.ts'
import { logNames, readReport, report } from './report.ts'

const now = 1_790_000_000_000

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const kept = (part: object) => {
  const { protocol, ...rest } = report(JSON.parse(JSON.stringify({ protocol: 1, ...part }))) ?? {}
  expect(protocol).toBe(1)
  return rest
}
const times = <T>(length: number, make: (i: number) => T) => Array.from({ length }, (_, i) => make(i))

test('2.1: a good report is kept as it is', () => {
  const text = JSON.stringify(sampleReport)
  expect(readReport(bytes(sampleReport), now)).toEqual({ ok: true, value: sampleReport, json: text })
})

test.each([
  ['an unknown field', { colour: 'red' }],
  ['a null', { state: null }],
  ['a text to clean', { state: { label: 'a\u0007b' } }],
  ['a text to cut', { state: { label: 'x'.repeat(81) } }],
  ['a list to cut', { controls: Array(21).fill('pause') }],
  ['a value to drop', { settings: { values: { every: [1] } } }],
  ['a level to read as info', { state: { level: 'fine' } }],
  ['two runs with the same id', { runs: [{ id: 'a' }, { id: 'a' }] }],
])('a report with %s is not kept as the text that came', (_what, parts) => {
  expect(readReport(bytes({ protocol: 1, ...parts }), now)).toMatchObject({ ok: true, json: undefined })
})

test('when one place of a report changes, only that place is copied', () => {
  const input = { protocol: 1, state: { level: 'ok' }, health: [{ name: 'Disk' }, { name: 'M\u0000' }], seq: -0 }
  const read = report(input)
  expect(read).toEqual({ protocol: 1, state: { level: 'ok' }, health: [{ name: 'Disk' }, { name: 'M\ufffd' }], seq: 0 })
  expect(read?.state).toBe(input.state)
  expect(read?.health?.[0]).toBe(input.health[0])
  expect(input.health[1]).toEqual({ name: 'M\u0000' })
})

test.each([
  ['names protocol 2', { protocol: 2 }],
  ['names protocol "1"', { protocol: '1' }],
  ['names protocol true', { protocol: true }],
  ['names protocol null', { protocol: null }],
  ['names no protocol', {}],
  ['is a list', [1]],
])('4 rule 1: a body that %s is refused', (_rule, body) =>
  expect(readReport(bytes(body), now)).toMatchObject({ ok: false, code: 'body_invalid' }),
)

test('2.1: protocol alone is a report', () => expect(kept({})).toEqual({}))

test.each([
  ['2: an unknown field is ignored', { mood: 1, state: { level: 'ok', mood: 1 } }, { state: { level: 'ok' } }],
  ['2.1: a null counts as missing', { state: null, health: [{ name: 'a', level: null }] }, { health: [{ name: 'a' }] }],
  [
    '2.1: in settings.values a null is kept',
    { settings: { values: { a: null } } },
    { settings: { values: { a: null } } },
  ],
  ['2.1: an unknown level is read as info', { state: { level: 'fatal' } }, { state: { level: 'info' } }],
  ['D12: a field of the wrong type is dropped', { state: { label: 7, detail: [] } }, { state: {} }],
  ['D12: a part of the wrong type is dropped', { state: 'ok', health: {}, runs: 'x', agent: [], controls: 1 }, {}],
  [
    '2.1: a subject needs a title',
    { active: [{ subjects: [{ share: 1 }, { title: 'a' }] }] },
    { active: [{ subjects: [{ title: 'a' }] }] },
  ],
  [
    '2: a share beyond 0 to 1 is dropped',
    {
      active: [
        {
          subjects: [
            { title: 'a', share: 1.01 },
            { title: 'b', share: 0 },
          ],
        },
      ],
    },
    { active: [{ subjects: [{ title: 'a' }, { title: 'b', share: 0 }] }] },
  ],
  [
    '2: a bad link is dropped, the title stays',
    { active: [{ subjects: [{ title: 'a', url: 'ftp://x/' }] }] },
    { active: [{ subjects: [{ title: 'a' }] }] },
  ],
  [
    '2.2: a run needs an id',
    { runs: [{ status: 'done' }, { id: '' }, { id: 7 }, { id: 'a' }] },
    { runs: [{ id: 'a' }] },
  ],
  ['2.2: an id that holds only control characters is missing', { runs: [{ id: '\u0001' }] }, { runs: [] }],
  [
    '2.2: a negative, broken or unsafe time is dropped',
    {
      runs: [
        { id: 'a', started: -1, ended: 1.5 },
        { id: 'b', started: 2 ** 53 },
      ],
    },
    { runs: [{ id: 'a' }, { id: 'b' }] },
  ],
  [
    '2.2: negative cost and tokens are dropped',
    { runs: [{ id: 'a', cost_usd: -1, output_tokens: -1 }] },
    { runs: [{ id: 'a' }] },
  ],
  [
    '2.2: a bad cost of a model is dropped',
    { runs: [{ id: 'a', models: { x: -1, y: 0, z: 'a', '': 1 } }] },
    { runs: [{ id: 'a', models: { y: 0 } }] },
  ],
  [
    'D11: the later of two runs with the same id replaces the earlier one, at its place',
    { runs: [{ id: 'a', status: 'new', kind: 'k' }, { id: 'b' }, { id: 'a', status: 'done' }] },
    { runs: [{ id: 'a', status: 'done' }, { id: 'b' }] },
  ],
  [
    'D11: ids are compared byte by byte',
    { runs: [{ id: 'é' }, { id: 'e\u0301' }, { id: 'É' }] },
    { runs: [{ id: 'é' }, { id: 'e\u0301' }, { id: 'É' }] },
  ],
  [
    '2.1: unknown controls and repeated ones are dropped',
    { controls: ['pause', 'explode', 'pause', 7, 'run_now'] },
    { controls: ['pause', 'run_now'] },
  ],
  [
    '2.1: an ack needs id and ok',
    { acks: [{ id: 'a' }, { ok: true }, { id: 'b', ok: 'yes' }, { id: 'c', ok: false }] },
    { acks: [{ id: 'c', ok: false }] },
  ],
  [
    '2.5: an unknown outcome is dropped',
    { applied: { version: '1.0.0', outcome: 'great', message: 'm' } },
    { applied: { version: '1.0.0', message: 'm' } },
  ],
  ['2.6: runtime needs its version', { runtime: { pinned: '1.0.0' } }, {}],
  [
    '2.3: a panel of an unknown type is dropped',
    {
      panels: [
        { type: 'graph', title: 'x' },
        { type: 'text', title: 't', lines: ['a', 7] },
      ],
    },
    { panels: [{ type: 'text', title: 't', lines: ['a'] }] },
  ],
  ['2.3: a panel needs a title', { panels: [{ type: 'kv', items: [] }] }, { panels: [] }],
  [
    '2.3: items of kv need label and value as texts',
    {
      panels: [
        {
          type: 'kv',
          title: 't',
          items: [
            { label: 'a', value: 1 },
            { label: 'b', value: '' },
          ],
        },
      ],
    },
    { panels: [{ type: 'kv', title: 't', items: [{ label: 'b', value: '' }] }] },
  ],
  [
    '2.3: a bad cell becomes an empty one, so that the others stay under their headings',
    {
      panels: [
        {
          type: 'table',
          title: 't',
          columns: ['a', 7, 'c'],
          rows: [[null, 'x', { text: 'y', url: 'http://h/' }, { url: 'http://h/' }], 'no row'],
        },
      ],
    },
    {
      panels: [
        { type: 'table', title: 't', columns: ['a', '', 'c'], rows: [['', 'x', { text: 'y', url: 'http://h/' }, '']] },
      ],
    },
  ],
  [
    '2.4: a setting needs a key and a known type',
    {
      settings: { schema: [{ key: 'a' }, { type: 'bool' }, { key: 'b', type: 'colour' }, { key: 'c', type: 'bool' }] },
    },
    { settings: { schema: [{ key: 'c', type: 'bool' }] } },
  ],
  [
    '2.4: an option needs a value',
    {
      settings: {
        schema: [{ key: 'a', type: 'select', options: [{ label: 'x' }, { value: 1 }, { value: 'y', label: 'Y' }] }],
      },
    },
    { settings: { schema: [{ key: 'a', type: 'select', options: [{ value: 1 }, { value: 'y', label: 'Y' }] }] } },
  ],
  ['D11: boot and seq are kept', { boot: 'b1', seq: 7 }, { boot: 'b1', seq: 7 }],
])('%s', (_rule, part, expected) => expect(kept(part)).toEqual(expected))

test.each([
  ['label', limits.label, (text: string) => ({ state: { label: text } })],
  ['detail of the state', limits.detail, (text: string) => ({ state: { detail: text } })],
  ['detail of a health item', limits.detail, (text: string) => ({ health: [{ detail: text }] })],
  ['detail of an active run', limits.detail, (text: string) => ({ active: [{ detail: text }] })],
  ['detail of a gauge', limits.detail, (text: string) => ({ gauges: [{ detail: text }] })],
  ['name of a health item', limits.name, (text: string) => ({ health: [{ name: text }] })],
  ['run id', limits.runId, (text: string) => ({ runs: [{ id: text }] })],
  ['run kind', limits.runKind, (text: string) => ({ runs: [{ id: 'a', kind: text }] })],
  ['run status', limits.runStatus, (text: string) => ({ runs: [{ id: 'a', status: text }] })],
  ['log name', limits.logName, (text: string) => ({ runs: [{ id: 'a', log: text }] })],
  ['message of applied', limits.appliedMessage, (text: string) => ({ applied: { message: text } })],
  ['message of an ack', limits.detail, (text: string) => ({ acks: [{ id: 'a', ok: true, message: text }] })],
  ['title of a panel', limits.name, (text: string) => ({ panels: [{ type: 'text', title: text }] })],
  ['line', limits.line, (text: string) => ({ panels: [{ type: 'text', title: 't', lines: [text] }] })],
  ['cell', limits.cell, (text: string) => ({ panels: [{ type: 'table', title: 't', rows: [[text, { text }]] }] })],
  [
    'value of kv',
    limits.cell,
    (text: string) => ({ panels: [{ type: 'kv', title: 't', items: [{ label: 'a', value: text }] }] }),
  ],
  ['model', limits.name, (text: string) => ({ runs: [{ id: 'a', models: { [text]: 1 } }] })],
  ['help', limits.line, (text: string) => ({ settings: { schema: [{ key: 'a', type: 'bool', help: text }] } })],
  ['value of a setting', limits.settingText, (text: string) => ({ settings: { values: { a: text } } })],
  ['organisation', limits.name, (text: string) => ({ account: { org: text } })],
] as const)('D12: %s is cut at %i characters', (_part, max, make) => {
  expect(kept(make('👍'.repeat(max)))).toEqual(make('👍'.repeat(max)))
  expect(kept(make('👍'.repeat(max + 1)))).toEqual(make('👍'.repeat(max)))
})

test.each([
  ['health', limits.health, (n: number) => ({ health: times(n, (i) => ({ name: `${i}` })) })],
  ['active', limits.active, (n: number) => ({ active: times(n, (i) => ({ kind: `${i}` })) })],
  ['gauges', limits.gauges, (n: number) => ({ gauges: times(n, (i) => ({ name: `${i}` })) })],
  ['panels', limits.panels, (n: number) => ({ panels: times(n, (i) => ({ type: 'kv', title: `${i}` })) })],
  [
    'items',
    limits.panelItems,
    (n: number) => ({ panels: [{ type: 'list', title: 't', items: times(n, (i) => ({ title: `${i}` })) }] }),
  ],
  [
    'rows',
    limits.panelItems,
    (n: number) => ({ panels: [{ type: 'table', title: 't', rows: times(n, (i) => [`${i}`]) }] }),
  ],
  [
    'lines',
    limits.panelItems,
    (n: number) => ({ panels: [{ type: 'text', title: 't', lines: times(n, (i) => `${i}`) }] }),
  ],
  [
    'columns',
    limits.columns,
    (n: number) => ({ panels: [{ type: 'table', title: 't', columns: times(n, (i) => `${i}`) }] }),
  ],
  [
    'cells of a row',
    limits.columns,
    (n: number) => ({ panels: [{ type: 'table', title: 't', rows: [times(n, (i) => `${i}`)] }] }),
  ],
  [
    'subjects',
    limits.subjects,
    (n: number) => ({ runs: [{ id: 'a', subjects: times(n, (i) => ({ title: `${i}` })) }] }),
  ],
  ['acks', limits.acks, (n: number) => ({ acks: times(n, (i) => ({ id: `${i}`, ok: true })) })],
  [
    'settings',
    limits.settings,
    (n: number) => ({ settings: { schema: times(n, (i) => ({ key: `${i}`, type: 'bool' })) } }),
  ],
  [
    'values',
    limits.settings,
    (n: number) => ({ settings: { values: Object.fromEntries(times(n, (i) => [`k${i}`, i])) } }),
  ],
  [
    'options',
    limits.options,
    (n: number) => ({ settings: { schema: [{ key: 'a', type: 'select', options: times(n, (i) => ({ value: i })) }] } }),
  ],
  [
    'models',
    limits.models,
    (n: number) => ({ runs: [{ id: 'a', models: Object.fromEntries(times(n, (i) => [`m${i}`, i])) }] }),
  ],
] as const)('D12: the list of %s is cut at %i items', (_part, max, make) => {
  expect(kept(make(max))).toEqual(make(max))
  expect(kept(make(max + 1))).toEqual(make(max))
})

test('D12: if a report has more than 2,000 runs the newest by D10 are kept in their order, and the number dropped is returned', () => {
  const runs = [...times(2099, (i) => ({ id: `r${i}`, started: i + 1 })), { id: 'without a start' }]
  const read = readReport(bytes({ protocol: 1, runs }), now)
  expect(read).toMatchObject({ ok: true, json: undefined, runsDropped: 100 })
  expect(read.ok && read.value.runs).toEqual(runs.slice(100))
})

test('D11: two runs with the same id are merged before runs are counted', () => {
  const runs = times(2000, (i) => ({ id: `r${i}`, started: i + 1 }))
  const again = { id: 'r0', started: 1, status: 'done' }
  const read = readReport(bytes({ protocol: 1, runs: [...runs, again] }), now)
  expect(read).toMatchObject({ ok: true, runsDropped: undefined })
  expect(read.ok && read.value.runs).toEqual([again, ...runs.slice(1)])
})

test('D12: an item dropped from a list makes room for a later one', () => {
  const health = [...times(60, () => 'no item'), ...times(50, (i) => ({ name: `${i}` }))]
  expect(kept({ health })).toEqual({ health: times(50, (i) => ({ name: `${i}` })) })
})

test('D13: a key named __proto__ is a key like any other and reaches no prototype', () => {
  const body = new TextEncoder().encode(
    '{"protocol":1,"__proto__":{"state":{"level":"bad"}},"settings":{"values":{"__proto__":1}},"runs":[{"id":"a","models":{"__proto__":2,"constructor":3}}]}',
  )
  const read = readReport(body, now)
  if (!read.ok) throw new Error(read.message)
  expect(read.value.state).toBeUndefined()
  expect(Object.keys(read.value.settings?.values ?? {})).toEqual(['__proto__'])
  expect(read.value.runs?.[0]?.models?.toString).toBeUndefined()
  expect(JSON.stringify(read.value.runs)).toBe('[{"id":"a","models":{"__proto__":2,"constructor":3}}]')
})

test('2.7: the log names that can be asked for are those of active runs and of runs', () =>
  expect([
    ...logNames({
      active: [{ log: 'a' }, {}],
      runs: [
        { id: '1', log: 'b' },
        { id: '2', log: 'a' },
      ],
    }),
  ]).toEqual(['a', 'b']))
