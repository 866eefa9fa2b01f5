/**
 * Makes random calls of svc_status.py and svc-status.mjs, and compares the status files after each; does the same in
 * every version of the languages that is on this machine; and waits for wishes in real time. `npm test` leaves this
 * out. sdk/calls.process.test.ts proves the same rules.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutate, randomOf } from '../packages/protocol/testing/mutate.ts'
import { byLevel } from '../testing/level.ts'
import {
  type Call,
  comparable,
  type Language,
  newFolder,
  node,
  nodeAt,
  python,
  pythonAt,
  start,
  statusIn,
} from './testing/languages.ts'

const panels = [
  {
    type: 'list',
    title: 'Mails',
    items: [{ title: 'a', url: 'https://a.example/1?b#c', meta: '2 h', badge: 'new', level: 'warn' }, { title: 'b' }],
  },
  {
    type: 'table',
    title: 'Table',
    columns: ['a', 'b'],
    rows: [
      ['1', { text: 'x', url: 'http://127.0.0.1:8787/' }],
      [3, ''],
    ],
  },
  { type: 'kv', title: 'Today', items: [{ label: 'Mails', value: 3 }] },
  { type: 'text', title: 'Notes', lines: ['a', 'b'] },
]
const texts = ['a', 'b', 'Mails', '', 7, null, '\0', 'a\ud800b\u001b[2J', '👍'.repeat(700), 'x'.repeat(9000), ['a'], {}]
const levels = ['ok', 'info', 'warn', 'bad', 'fine', 3, null, [], { a: 1 }]
const numbers = [0, 1, -1, 0.5, 2 ** 53, 1e308, 1200, null, '3', { $: 'nan' }, { $: 'infinity' }, { $: 'huge' }, []]
/** Hosts that both languages judge alike, and those that only Node keeps: Python would need a browser's rules. */
const hosts = [
  'a',
  'a.example',
  'A-b.example',
  '127.0.0.1',
  '1.2.3',
  '256.1.1.1',
  '1.2.3.4.5',
  'x.1',
  'a:80',
  'a:70000',
]
const more = [
  'é.example',
  '0x7f.1',
  'a..b',
  'xn--a',
  '[::1]',
  'u@a',
  'a:',
  '%41',
  'a\tb',
  '-',
  '1a',
  'a.',
  '１.1',
  '1.2',
]
const paths = [
  '',
  '/',
  '/a b',
  '/%zz',
  '/é',
  '?q=1',
  '#x',
  '\\x',
  '/\ud800',
  `/${'x'.repeat(1990)}`,
  '/a\u00a0b',
  '/\ufeff',
]

/** A random call. A run is known by its number. */
function callOf(random: () => number): Call {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const url = () => pick(['http', 'https', 'HTTP', 'ftp']).concat('://', pick([...hosts, ...more]), pick(paths))
  const models = () => mutate({ large: 0.5, small: 1, [`m${pick(texts)}`]: 2 ** 60 }, random, 2)
  return pick<() => Call>([
    () => [pick(['ok', 'info', 'warn', 'bad']), pick(texts), pick(texts)],
    () => ['health', pick(texts), pick(levels), pick(texts)],
    () => ['gauge', pick(texts), pick(numbers), pick(numbers), pick(texts)],
    () => ['panel', mutate(pick(panels), random, Math.floor(random() * 4))],
    () => [
      'panel',
      { type: 'list', title: 'Links', items: Array.from({ length: 20 }, () => ({ title: 'a', url: url() })) },
    ],
    () => ['run', pick(texts), pick(texts)],
    () => ['end', Math.floor(random() * 50), ...(random() < 0.5 ? [] : [pick(texts)])],
    () => ['set', Math.floor(random() * 50), pick(['cost_usd', 'output_tokens']), pick(numbers)],
    () => ['set', Math.floor(random() * 50), 'models', models()],
  ])()
}

/** A status without what differs between the languages: their names of values, and links that only Node keeps. */
function inOneLanguage(folder: string) {
  const status = JSON.stringify(comparable(statusIn(folder))).replaceAll('"True"', '"true"')
  return JSON.parse(status, (key, value) =>
    key === 'url' && more.some((host) => value.slice(value.indexOf('://') + 3).startsWith(host)) ? undefined : value,
  )
}

test('random calls write the same files in both languages, and the contract keeps all of each', {
  timeout: 600_000,
}, async () => {
  const calls = byLevel(50, 200, 1000)
  for (let seed = 0; seed < calls / 50; seed++) {
    const random = randomOf(seed)
    const made = [python, node].map((language) => ({ program: start(language), folder: newFolder() }))
    for (const { program, folder } of made)
      await program.all([
        ['open', folder],
        ['ok', 'begins'],
      ])
    for (let i = 0; i < 50; i++) {
      const call = callOf(random)
      await Promise.all(made.map(({ program }) => program.call(...call)))
      const [first, second] = made.map(({ folder }) => inOneLanguage(folder))
      expect(first, `seed ${seed}, call ${i}: ${JSON.stringify(call).slice(0, 300)}`).toEqual(second)
    }
    for (const { program } of made) {
      expect(program.said().length).toBeLessThanOrEqual(4)
      await program.kill()
    }
  }
})

test('an open run stays, however many runs begin and end after it', async () => {
  const ids = Array.from({ length: 110 }, (_, i) => i + 1)
  for (const language of [python, node]) {
    const [program, folder] = [start(language), newFolder()]
    await program.all([
      ['open', folder],
      ['run', 'open'],
      ...ids.flatMap((id): Call[] => [
        ['run', `${id}`],
        ['end', id],
      ]),
    ])
    expect(statusIn(folder).runs?.map(({ kind }) => kind)).toEqual(['open', ...ids.slice(11).map(String)])
    await program.call('end', 0)
    expect(statusIn(folder).runs?.[0]).toMatchObject({ kind: 'open', status: 'ok' })
  }
})

test('in Python, the handler of a signal may call in the middle of a call', async () => {
  const [program, folder] = [start(python), newFolder()]
  const [, signals] = await program.all([
    ['open', folder],
    ['interrupt', 500],
  ])
  expect(signals).toBeGreaterThan(10)
  expect(statusIn(folder)).toEqual({
    state: { level: 'warn', label: `signal ${signals}` },
    health: [{ name: 'number', level: 'ok', detail: 'end' }],
  })
  expect([program.said(), readdirSync(folder)]).toEqual([[], ['status.json']])
})

/** Every Python from 3.8 and every Node from 20 on this machine, one of each version. */
function others(): Language[] {
  const found = [
    ...['python3', ...globSync(join(userInfo().homedir, '.pyenv/versions/3.*/bin/python3'))].map(pythonAt),
    ...['/usr/bin/node', '/usr/local/bin/node', process.execPath].filter((path) => existsSync(path)).map(nodeAt),
  ]
  const versions = new Map<string, Language>()
  for (const one of found) {
    const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync(one.command, ['--version'], { encoding: 'utf8' })) ?? []
    const isNode = one.driver.endsWith('.mjs')
    if (isNode ? Number(major) < 20 : Number(minor) < 8) continue
    versions.set(isNode ? `Node ${major}` : `Python ${major}.${minor}`, one)
  }
  return [...versions].map(([name, one]) => ({ ...one, name }))
}

const known = others()
for (const name of ['Python 3.8', 'Node 20', 'Node 24'])
  if (!known.some((one) => one.name === name))
    process.stderr.write(`NOT TESTED: ${name}, which is not on this machine\n`)

const random = randomOf(1000)
const calls = Array.from({ length: 200 }, () => callOf(random))

test.each(known)('$name writes what the others write, and says nothing else', async (language) => {
  const written = await Promise.all(
    [language, node].map(async (one) => {
      const [program, folder] = [start(one), newFolder()]
      await program.all([['open', folder], ...calls, ['fail']])
      expect(program.said().filter((line) => !/left out of|what did not fit/.test(line))).toEqual([])
      const { runs, active: _, ...rest } = inOneLanguage(folder)
      return { ...rest, runs: runs.slice(0, -1) }
    }),
  )
  expect(written[0]).toEqual(written[1])
})

test.each([python, node])(
  'in $name, a wait ends within a second or so of a wish, and with its time',
  async (language) => {
    const folder = realpathSync(newFolder())
    const program = start(language)
    mkdirSync(join(folder, '.svc'))
    await program.call('open', folder)
    for (const [file, why] of [
      ['paused', 'paused'],
      ['settings.json', 'settings'],
    ] as const)
      expect(
        await program.all([
          ['later', 0.2, join(folder, '.svc', file)],
          ['wait', 60],
        ]),
      ).toEqual([null, why])
    expect(await program.call('wait', 1.2)).toBe('time')
  },
)
