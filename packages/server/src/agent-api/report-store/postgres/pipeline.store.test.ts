import type pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../../../../testing/eventually.ts'
import { openTestPostgres } from '../../../../testing/stores.ts'
import type { Store } from '../../../platform/db/open.ts'
import { manyRows, textArray } from './arrays.ts'
import { type PreparedStatement, runPipelined } from './pipeline.ts'

let store: Store
let pool: pg.Pool
let client: pg.PoolClient

beforeEach(async () => {
  store = await openTestPostgres()
  if (store.engine === 'postgres') pool = store.pool
  client = await pool.connect()
})
afterEach(async () => {
  client.release()
  await store.close()
})

interface Thing {
  name: string | null
  size: number | null
}
const things = manyRows<Thing>(
  'things',
  [
    ['name', 'text'],
    ['size', 'bigint'],
  ],
  (rows) => `select * from ${rows}`,
)
const shout: PreparedStatement = { name: 'shout', text: 'select upper(word) from unnest($1::text[]) as word' }
const divide: PreparedStatement = { name: 'divide', text: 'select 1 / cardinality($1::text[])' }

const echo = async (rows: Thing[]) => {
  const [back] = await runPipelined(client, [things.step(rows)])
  return back.map(([name, size]) => ({ name, size: size === null ? null : Number(size) }))
}

test.each([
  ['nothing', []],
  ['null beside null', [{ name: null, size: null }]],
  [
    'an empty text, and the text "null"',
    [
      { name: '', size: 0 },
      { name: 'NULL', size: -1 },
    ],
  ],
  ['characters with a meaning in arrays and JSON', [{ name: '{"a":["\\"b\\"", {}]},\'$1\'', size: 7 }]],
  ['lines, tabs, other scripts, pictures', [{ name: 'a\r\n\tß – 漢字 🦉\u2028', size: 1 }]],
  [
    'the largest and smallest numbers',
    [
      { name: 'x', size: 2 ** 53 - 1 },
      { name: 'y', size: -(2 ** 53) + 1 },
    ],
  ],
  [
    'numbers around 32 bits',
    [-(2 ** 31) - 1, -(2 ** 32), 2 ** 31, 2 ** 32 - 1, 2 ** 32].map((size) => ({ name: null, size })),
  ],
  ['much', Array.from({ length: 300 }, (_, i) => ({ name: '€'.repeat(i * 10), size: i }))],
])('values reach PostgreSQL unchanged: %s', async (_what, rows: Thing[]) => {
  expect(await echo(rows)).toEqual(rows)
})

test('each step has its own rows, and a connection prepares a statement once', async () => {
  const words = (...all: string[]) => [shout, [textArray(all)]] as const
  for (let i = 0; i < 3; i++)
    expect(await runPipelined(client, [words('a', 'b'), words(), words('c')])).toEqual([[['A'], ['B']], [], [['C']]])
  const { rows } = await client.query('select name, generic_plans + custom_plans as times from pg_prepared_statements')
  expect(rows).toEqual([{ name: 'shout', times: 9 }])
})

test('plans do not outlive the tables that they were made for: statements are prepared again after a minute', async () => {
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  onTestFinished(() => clock.mockRestore())
  const prepared = async () => {
    expect(await runPipelined(client, [[shout, [textArray(['a'])]]])).toEqual([[['A']]])
    return (await client.query('select prepare_time::text as at from pg_prepared_statements')).rows
  }
  const first = await prepared()
  clock.mockReturnValue(now + 59_000)
  expect(await prepared()).toEqual(first)
  clock.mockReturnValue(now + 61_000)
  const second = await prepared()
  expect(second).toHaveLength(1)
  expect(second).not.toEqual(first)
})

test('steps after one that fails have no effect, and the connection stays usable', async () => {
  await client.query('create temporary table noted (word text)')
  const note = (word: string) => [{ name: word, text: `insert into noted values ('${word}')` }] as const
  const steps = [note('before'), [divide, [textArray([])]], note('behind')] as const
  for (let i = 0; i < 2; i++) await expect(runPipelined(client, steps)).rejects.toMatchObject({ code: '22012' })
  expect((await client.query('select word from noted')).rows).toEqual([])
  expect(await runPipelined(client, [note('behind'), [divide, [textArray(['x'])]]])).toEqual([[], [['1']]])
  expect((await client.query('select word from noted')).rows).toEqual([{ word: 'behind' }])
})

test('a statement that a change of the tables invalidated is prepared again', async () => {
  await client.query('create temporary table kept (word text)')
  const all = [{ name: 'all', text: 'select * from kept' }] as const
  expect(await runPipelined(client, [all])).toEqual([[]])
  await client.query('alter table kept add column more text')
  await expect(runPipelined(client, [all])).rejects.toThrow('cached plan must not change result type')
  expect(await runPipelined(client, [all])).toEqual([[]])
})

test('a connection that breaks during a pipeline is an error', async () => {
  const broken = expect(runPipelined(client, [[{ name: 'sleep', text: 'select pg_sleep(30)' }]])).rejects.toThrow(
    /terminat/,
  )
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`
  await eventually('the connection sleeps and is cut', async () => expect((await pool.query(cut)).rowCount).toBe(1), {
    everyMs: 20,
  })
  await broken
})

test.each([
  ['a boolean', true],
  ['a bigint', 5n],
  ['a text', '5'],
  ['nothing at all', undefined],
])('%s in a column of numbers is an error, not null', (_, size) => {
  expect(() => things.step([{ name: 'a', size: size as never }])).toThrow('size takes bigint, not')
})

test('a number in a column of texts is an error, not null', () => {
  expect(() => things.step([{ name: 5 as never, size: 5 }])).toThrow('name takes text, not number.')
})
