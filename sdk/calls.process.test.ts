/**
 * Makes the same calls of svc_status.py and svc-status.mjs, in programs of both languages, and compares the status
 * files.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StatusFile } from '../packages/protocol/src/index.ts'
import { eventually } from '../testing/eventually.ts'
import {
  type Call,
  comparable,
  type Language,
  newFolder,
  node,
  type Program,
  python,
  start,
  statusIn,
} from './testing/languages.ts'

interface Row {
  readonly says: string
  readonly calls: readonly Call[]
  /** The status file then; the parts that are not named may have anything. */
  readonly shows: StatusFile
  /** The line on standard error. */
  readonly said?: RegExp
}
const [long, faces] = [{ $text: 'long ', times: 2_000_000 }, '👍'.repeat(301)]
const nan = { $: 'nan' }
const ids = (count: number) => Array.from({ length: count }, (_, i) => `${i}`)

/** The calls and what they write, for both languages. */
const table: readonly Row[] = [
  { says: 'two lines', calls: [['ok', '3 mails read']], shows: { state: { level: 'ok', label: '3 mails read' } } },
  {
    says: 'each level, of which the last call counts',
    calls: [
      ['ok', 'a'],
      ['info', 'b'],
      ['warn', 'c'],
      ['bad', 'd', 'why'],
    ],
    shows: { state: { level: 'bad', label: 'd', detail: 'why' } },
  },
  {
    says: 'texts of 10 MB are cut by code points, as the contract cuts them',
    calls: [
      ['ok', long, faces],
      ['health', faces, 'ok', long],
    ],
    shows: {
      state: { level: 'ok', label: 'long '.repeat(16), detail: '👍'.repeat(300) },
      health: [{ name: '👍'.repeat(200), level: 'ok', detail: 'long '.repeat(60) }],
    },
  },
  {
    says: 'lone surrogates and NUL become U+FFFD, and control characters go',
    calls: [['ok', 'a\ud800b\0c\u001b[2J\u0085\td\n', '\udc00\ud83d']],
    shows: { state: { level: 'ok', label: 'a\ufffdb\ufffdc[2J\td\n', detail: '\ufffd\ufffd' } },
  },
  {
    says: 'numbers and errors are texts, and other values are no text',
    calls: [
      ['ok', 3, { $error: 'no connection' }],
      ['health', 'disk', 'ok', ['a']],
    ],
    shows: { state: { level: 'ok', label: '3', detail: 'no connection' }, health: [{ name: 'disk', level: 'ok' }] },
  },
  {
    says: 'a level that is none counts as info, and no level removes the item',
    calls: [
      ['health', 'a', 'fine'],
      ['health', 'b', 7],
      ['health', 'c', 'bad'],
      ['health', 'c', { $: 'nothing' }],
    ],
    shows: {
      health: [
        { name: 'a', level: 'info' },
        { name: 'b', level: 'info' },
      ],
    },
  },
  {
    says: 'an item takes the place of the one with its name',
    calls: [
      ['gauge', 'Queue', 0.5],
      ['gauge', 'Disk', 1],
      ['gauge', 'Queue', 2, 3, 'long'],
    ],
    shows: {
      gauges: [
        { name: 'Queue', used: 2, mark: 3, detail: 'long' },
        { name: 'Disk', used: 1 },
      ],
    },
  },
  {
    says: 'a number that is none is left out, and with it what needs it',
    calls: [
      ['gauge', 'a', 0.5, nan],
      ['gauge', 'b', 1],
      ['gauge', 'b', nan],
      ['gauge', 'c', { $: 'infinity' }],
      ['gauge', 'd', { $: 'huge' }],
      ['gauge', 'e', 'many'],
      ['gauge', 'f', true],
    ],
    shows: { gauges: [{ name: 'a', used: 0.5 }] },
    said: /^svc.status: left out of gauges, since it lacks what it needs: b$/,
  },
  {
    says: 'a panel without a type or without its parts is left out',
    calls: [
      ['panel', { title: 'A', items: [] }],
      ['panel', { type: 'chart', title: 'B' }],
      ['panel', { type: 'list', title: 'C' }],
      ['panel', 'D'],
      ['ok', 'goes on'],
    ],
    shows: { state: { level: 'ok', label: 'goes on' } },
    said: /^svc.status: left out of panels, since it lacks what it needs: A$/,
  },
  {
    says: 'each type of panel, whose title names it',
    calls: [
      ['panel', { type: 'kv', title: 'Today', items: [{ label: 'Mails', value: 3 }, { label: 'x' }, 4] }],
      ['panel', { type: 'text', title: 'Notes', lines: ['a', { $: 'nothing' }, 2], colour: 'red' }],
      [
        'panel',
        {
          ...{ type: 'list', title: 'Mails' },
          items: [
            { title: 'a', url: 'https://a.example/1', meta: 5, badge: 'new', level: 'warn', more: 1 },
            { title: 'b', url: 'javascript:alert(1)', level: 'grave' },
            { url: 'https://a.example/2' },
          ],
        },
      ],
      [
        'panel',
        {
          ...{ type: 'table', title: 'Table', columns: ['a', { $: 'nothing' }, 'c'] },
          rows: [
            [1, { $: 'nothing' }, { text: 'x', url: 'http://a.example' }],
            'no row',
            [{ url: 'http://a.example' }],
          ],
        },
      ],
      ['panel', { type: 'text', title: 'Notes', lines: ['new'] }],
    ],
    shows: {
      panels: [
        { type: 'kv', title: 'Today', items: [{ label: 'Mails', value: '3' }] },
        { type: 'text', title: 'Notes', lines: ['new'] },
        {
          ...{ type: 'list', title: 'Mails' },
          items: [
            { title: 'a', url: 'https://a.example/1', meta: '5', badge: 'new', level: 'warn' },
            { title: 'b', level: 'info' },
          ],
        },
        {
          ...{ type: 'table', title: 'Table', columns: ['a', '', 'c'] },
          rows: [['1', '', { text: 'x', url: 'http://a.example' }], ['']],
        },
      ],
    },
  },
  {
    says: 'of too many names the first ones stay',
    calls: [
      ...ids(52).map((id): Call => ['health', id, 'ok']),
      ...ids(52).map((id): Call => ['gauge', id, 1]),
      ...ids(22).map((id): Call => ['panel', { type: 'text', title: id, lines: [] }]),
      ['health', '49', 'warn'],
    ],
    shows: {
      health: ids(50).map((name) => ({ name, level: name === '49' ? 'warn' : 'ok' })),
      gauges: ids(50).map((name) => ({ name, used: 1 })),
      panels: ids(20).map((title) => ({ type: 'text', title, lines: [] })),
    },
  },
  {
    says: 'a run runs, has costs and ends once',
    calls: [
      ['run', 'read', 'Inbox'],
      ['run'],
      ['set', 0, 'cost_usd', 0.25],
      ['set', 0, 'output_tokens', 1200],
      ['set', 0, 'models', { 'large-2': 0.2, small: 0.05, '': 1, odd: nan }],
      ['end', 0],
      ['end', 0, 'failed'],
      ['run', 'read', 'Outbox'],
      ['end', 2, 'a status of more than twenty characters'],
    ],
    shows: {
      active: [{ started: 0 }],
      runs: [
        {
          ...{ id: '0', kind: 'read', status: 'ok', started: 0, ended: 0, subjects: [{ title: 'Inbox' }] },
          ...{ cost_usd: 0.25, output_tokens: 1200, models: { 'large-2': 0.2, small: 0.05 } },
        },
        { id: '1', status: 'running', started: 0 },
        {
          ...{ id: '2', kind: 'read', status: 'a status of more tha', started: 0, ended: 0 },
          subjects: [{ title: 'Outbox' }],
        },
      ],
    },
  },
  {
    says: 'costs and tokens that are none are left out',
    calls: [
      ['run', 'read'],
      ['set', 0, 'cost_usd', -1],
      ['set', 0, 'output_tokens', 1.5],
      ['set', 0, 'models', 'large'],
      ['end', 0],
    ],
    shows: { runs: [{ id: '0', kind: 'read', status: 'ok', started: 0, ended: 0 }] },
  },
  {
    says: 'a clock that goes back ends no run before its start',
    calls: [
      ['run', 'a'],
      ['move_clock', -50],
      ['end', 0],
      ['run', 'b'],
      ['end', 1],
      ['move_clock', 50],
      ['wait', 0],
    ],
    shows: {
      runs: [
        { id: '0', kind: 'a', status: 'ok', started: 0, ended: 0 },
        { id: '1', kind: 'b', status: 'ok', started: 0, ended: 0 },
      ],
    },
  },
  {
    says: 'what does not fit into 240 KB is left out: panels, then old runs',
    calls: [
      ['ok', 'a'],
      ...ids(3).map((title): Call => ['panel', { type: 'text', title, lines: Array(200).fill('x'.repeat(500)) }]),
      ['panel', { type: 'text', title: 'small', lines: [] }],
    ],
    shows: {
      state: { level: 'ok', label: 'a' },
      panels: [{ title: '0' }, { title: '1' }, { title: 'small' }] as StatusFile['panels'] & {},
    },
    said: /may have 245760 bytes: what did not fit was left out$/,
  },
]

const languages = [python, node]
let programs: Program[]
const programOf = (language: Language) => programs[languages.indexOf(language)] as Program
beforeAll(() => {
  programs = languages.map((language) => start(language))
})
afterAll(async () => {
  const lines = table.filter(({ said }) => said).length + 1 // and one about the settings
  expect(programs.map((program) => program.said().length)).toEqual([lines, lines])
  await Promise.all(programs.map((program) => program.kill()))
})

test.each(table)('$says', async ({ calls, shows, said }) => {
  const written = await Promise.all(
    programs.map(async (program) => {
      const folder = newFolder()
      const before = program.said().length
      await program.all([['open', folder], ...calls])
      if (said)
        await eventually('a line on standard error', () =>
          expect(program.said().slice(before).join('\n')).toMatch(said),
        )
      return comparable(statusIn(folder))
    }),
  )
  expect(written[0]).toEqual(written[1])
  expect(written[0]).toMatchObject(shows)
})

test('the newest 100 runs stay, those of earlier processes among them', async () => {
  const runs = ids(101).map((id) => ({ id: `earlier ${id}`, started: 1, ended: 2 }))
  await Promise.all(
    programs.map(async (program) => {
      const folder = newFolder()
      writeFileSync(join(folder, 'status.json'), JSON.stringify({ runs }), { mode: 0o600 })
      await program.all([
        ['open', folder],
        ['run', 'a'],
        ['run', 'b'],
        ['end', 1],
      ])
      const { runs: kept = [] } = statusIn(folder)
      expect(kept.slice(0, -2).map(({ id }) => id)).toEqual(runs.slice(2, 100).map(({ id }) => id))
      expect(kept.slice(-2).map(({ kind, status }) => [kind, status])).toEqual([
        ['a', 'running'],
        ['b', 'ok'],
      ])
    }),
  )
})

test.each(languages)('in $name, pause, run now and settings come from the files of the folder', async (language) => {
  const folder = newFolder()
  const program = programOf(language)
  const file = (name: string) => join(folder, '.svc', name)
  mkdirSync(join(folder, '.svc'))
  await program.call('open', folder)
  const wait = () => program.call('wait', 0)
  expect(await program.all([['paused'], ['settings'], ['take_run_now'], ['wait', 0]])).toEqual([
    ...[false, {}, false, 'time'],
  ])

  writeFileSync(file('paused'), '')
  writeFileSync(file('run_now'), '')
  expect(await program.all([['paused'], ['wait', 0], ['wait', 0]])).toEqual([true, 'paused', 'time'])
  rmSync(file('paused'))
  expect([await wait(), await wait(), existsSync(file('run_now'))]).toEqual(['resumed', 'run_now', false])
  expect(await program.all([['take_run_now'], ['take_run_now'], ['wait', 0]])).toEqual([true, false, 'time'])
  writeFileSync(file('run_now'), '')
  expect(await program.all([['take_run_now'], ['wait', 0], ['take_run_now']])).toEqual([true, 'time', false])

  writeFileSync(file('settings.json'), '\ufeff{"every": 10}')
  expect(await program.all([['wait', 0], ['settings'], ['wait', 0]])).toEqual(['settings', { every: 10 }, 'time'])
  for (const text of ['{"every": 1', '[]', 'NaN', '{"every": NaN}', 'é', `{"a": "${'x'.repeat(300_000)}"}`]) {
    writeFileSync(file('settings.json'), Buffer.from(text, 'latin1'))
    expect([text, await program.call('settings')]).toEqual([text, { every: 10 }])
  }
  rmSync(file('settings.json'))
  execFileSync('mkfifo', [file('settings.json')])
  expect(await program.call('settings')).toEqual({ every: 10 })
  rmSync(file('settings.json'))
  expect(await program.call('settings')).toEqual({})
  await eventually('a line about the settings', () =>
    expect(program.said().filter((line) => line.includes('settings.json cannot be read')).length).toBe(1),
  )
})

test.each(languages)(
  'in $name, a program that waits writes once a minute, so that the page knows it',
  async (language) => {
    const [folder, program] = [newFolder(), programOf(language)]
    const isThere = () => existsSync(join(folder, 'status.json'))
    await program.all([
      ['open', folder],
      ['wait', 0],
    ])
    expect(isThere()).toBe(false)
    await program.call('ok', 'waits')
    rmSync(join(folder, 'status.json'))
    await program.all([
      ['move_timer', 50],
      ['wait', 0],
    ])
    expect(isThere()).toBe(false)
    expect(
      await program.all([
        ['move_timer', 11],
        ['wait', 0],
      ]),
    ).toEqual([null, 'time'])
    expect(statusIn(folder).state?.label).toBe('waits')
  },
)

test.each(languages)('in $name, the files that the runtime names come before those of the folder', async (language) => {
  const folder = newFolder()
  const at = (name: string) => join(folder, name)
  const program = start(language, {
    ...{
      SVC_AGENT_DIR: folder,
      SVC_STATE_DIR: at('state'),
      SVC_PAUSE_FILE: at('p'),
      SVC_RUN_NOW_FILE: at('r'),
      SVC_SETTINGS_FILE: at('s'),
    },
  })
  await program.call('open', at('elsewhere'))
  writeFileSync(at('s'), '{"a": 1}')
  expect(await program.all([['ok', 'here'], ['paused'], ['settings']])).toEqual([null, false, { a: 1 }])
  writeFileSync(at('r'), '')
  expect(
    await program.all([
      ['wait', 0],
      ['wait', 0],
    ]),
  ).toEqual(['settings', 'run_now'])
  writeFileSync(at('p'), '')
  expect(await program.call('paused')).toBe(true)
  expect(statusIn(at('state')).state?.label).toBe('here')
  expect(existsSync(at('elsewhere'))).toBe(false)
})

test.each(languages)(
  'in $name, an agent that was connected by hand keeps its file under the runtime',
  async (language) => {
    const agent = newFolder()
    writeFileSync(join(agent, 'svc.agent.yaml'), 'name: mail\nversion: 0.1.0\nstatus: status.json\n')
    const program = start(language, { SVC_STATE_DIR: join(agent, 'state'), SVC_AGENT_DIR: agent })
    await program.all([
      ['open', join(agent, 'elsewhere')],
      ['ok', 'here'],
    ])
    expect(statusIn(agent).state?.label).toBe('here')
    expect(readdirSync(agent).sort()).toEqual(['status.json', 'svc.agent.yaml'])
  },
)

test('the files need nothing but their language, and do not use the network', () => {
  const text = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
  const python = text('python/svc_status.py')
  expect(python.match(/^ *(from|import) .*$/gm)).toEqual([
    '    from svc_status import Status',
    'import json, math, os, re, sys, threading, time',
    'from contextlib import contextmanager, suppress',
    'from itertools import islice',
  ])
  expect(text('node/svc-status.mjs').match(/(?<=^import .*)'.*'$/gm)).toEqual([
    ...["'node:crypto'", "'node:fs'", "'node:path'", "'node:url'"],
  ])
  expect(text('node/svc-status.mjs')).not.toMatch(/\b(fetch|WebSocket|import)\(/)
  // The older grammar is checked on each machine, and the older versions themselves where they are (random.slow).
  const check = 'import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 8))'
  execFileSync('python3', ['-c', check], { input: python })
  for (const path of ['python/svc_status.py', 'node/svc-status.mjs'])
    expect(text(path).split('\n').length).toBeLessThan(351)
})
