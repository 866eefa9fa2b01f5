import type { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newPostgresDatabase, openTestSqlite } from '../../../testing/stores.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { statesSince } from '../../web/queries/states.ts'
import { moveRows } from './move.ts'
import { parentsFirst, readTables, type TableToMove } from './tables.ts'

const rowsEach = 7
type Cell = string | number | Uint8Array | null

/**
 * Opens an SQLite store with rows in every table, also in tables that are added after this test was written, and an
 * empty PostgreSQL store.
 */
async function filled() {
  const from = await openTestSqlite()
  const to = openPostgres(await newPostgresDatabase())
  if (from.engine !== 'sqlite' || to.engine !== 'postgres') throw new Error('Not what was opened.')
  const client = await to.pool.connect()
  const tables = await readTables(from.sqlite, client)
  client.release()
  for (const table of tables) for (let i = 0; i < rowsEach; i++) insert(from.sqlite, table, i)
  return { from, to, tables }
}

function insert(sqlite: DatabaseSync, { name, columns }: TableToMove, i: number): void {
  const facts = new Map(
    sqlite
      .prepare('select name, "notnull" as needed, pk from pragma_table_info(?)')
      .all(name)
      .map((row) => [String(row.name), Boolean(row.needed || row.pk)]),
  )
  const parents = new Set(
    sqlite
      .prepare('select "from" as name from pragma_foreign_key_list(?)')
      .all(name)
      .map((row) => String(row.name)),
  )
  const cells = columns.map((column): Cell => {
    if (i === 2 && !facts.get(column.name)) return null
    // A reference to a parent's row: the next line makes the parent's id in the same form.
    if (parents.has(column.name)) return `id ${i}`
    if (column.kind === 'text') return column.name === 'id' ? `id ${i}` : `${texts[i % texts.length]} ${i}`
    if (column.kind === 'boolean') return i % 2
    if (column.kind === 'timestamp with time zone') return new Date(1_790_000_000_000 + i * 997).toISOString()
    if (column.kind === 'bytea') return Buffer.from([0, 255, i, 92, 39, 10])
    if (column.kind === 'integer') return i === 3 ? 2_147_483_647 : i
    if (column.counted) return i
    return i === 3 ? Number.MAX_SAFE_INTEGER : i + numberOf(name)
  })
  const names = columns.map((column) => `"${column.name}"`)
  sqlite.prepare(`insert into "${name}" (${names}) values (${names.map(() => '?')})`).run(...cells)
}
/** A number that differs between tables, so that tables with the same columns have different rows. */
const numberOf = (name: string) => [...name].reduce((sum, letter, i) => sum + i * letter.charCodeAt(0), 0)
const texts = [
  'plain',
  'Zoë "quoted" \\ back',
  '{"a":[null,"{},"]}',
  'ÿ before 𝄞',
  'NULL',
  "it's\na line\tand 🎉",
  'a,b',
]

const read = async (store: Store, table: string): Promise<unknown[]> => {
  const { rows } = await (store as Extract<Store, { engine: 'postgres' }>).pool.query(`select * from "${table}"`)
  return rows
}

test('every row of every table is moved, and the database continues its numbers after the highest one', async () => {
  const { from, to, tables } = await filled()
  const said: string[] = []
  const moved = await moveRows(from, to, (line) => said.push(line))
  expect(moved).toMatchObject({ ok: true, value: { rows: rowsEach * tables.length, before: false } })
  if (!moved.ok) return
  expect(moved.value.tables.map(({ rows }) => rows)).toEqual(tables.map(() => rowsEach))
  // A few tables have columns of the same kinds, and so the same rows.
  expect(new Set(moved.value.tables.map(({ sha256 }) => sha256)).size).toBeGreaterThan(tables.length - 5)
  expect(said).toContain(`copied run: ${rowsEach} rows`)
  expect(said).toContain(`checked run: ${rowsEach} rows`)
  for (const { name, columns } of tables) {
    if (from.engine !== 'sqlite') return
    const here = from.sqlite.prepare(`select * from "${name}"`).all()
    const asHere = (row: Record<string, unknown>) =>
      Object.fromEntries(
        columns.map((column) => {
          const value = row[column.name]
          const plain = value instanceof Date ? value.toISOString() : typeof value === 'boolean' ? Number(value) : value
          return [column.name, plain instanceof Uint8Array ? Buffer.from(plain).toString('hex') : plain]
        }),
      )
    const there = (await read(to, name)).map((row) => JSON.stringify(asHere(row as Record<string, unknown>))).sort()
    expect(there, name).toEqual(here.map((row) => JSON.stringify(asHere(row))).sort())
  }
  const next = { agent_id: 'id 1', at: 5, level: 'ok', label: null } as const
  const { seq } = await to.db.insertInto('level_change').values(next).returning('seq').executeTakeFirstOrThrow()
  expect(seq).toBe(rowsEach)
  await Promise.all([from.close(), to.close()])
})

test('since when something is kept stays as it was', async () => {
  const { from, to } = await filled()
  const time = '2026-10-01T12:00:00.000Z'
  await sql`update kysely_migration set timestamp = ${time} where name = '049-states'`.execute(from.db)
  await moveRows(from, to)
  expect(await statesSince(to.db, { created_at: 0 })).toBe(Date.parse(time))
  await Promise.all([from.close(), to.close()])
})

test('a second move of the same rows changes nothing; a target with other data is refused and not changed', async () => {
  const { from, to } = await filled()
  const first = await moveRows(from, to)
  const second = await moveRows(from, to)
  expect(first.ok && second.ok && second.value).toEqual(first.ok && { ...first.value, before: true })
  await to.db.updateTable('agent').set({ name: 'renamed since' }).where('id', '=', 'id 4').execute()
  expect(await moveRows(from, to)).toMatchObject({ ok: false, code: 'target_not_empty' })
  expect(await read(to, 'agent')).toHaveLength(rowsEach)
  await to.db.deleteFrom('workspace').execute()
  expect(await moveRows(from, to)).toMatchObject({ ok: false, code: 'target_not_empty' })
  expect(await read(to, 'workspace')).toHaveLength(0)
  await Promise.all([from.close(), to.close()])
})

test('if PostgreSQL cannot store a value, or returns another one, the target stays empty', async () => {
  const { from, to } = await filled()
  if (from.engine !== 'sqlite' || to.engine !== 'postgres') return
  from.sqlite.prepare('update log set text = ?').run('a\0b')
  await expect(moveRows(from, to)).rejects.toThrow()
  expect(await read(to, 'workspace')).toEqual([])
  from.sqlite.prepare('update log set text = ?').run('a')
  await to.pool.query(`create function other() returns trigger language plpgsql as
    $$ begin new.text = 'other'; return new; end $$`)
  await to.pool.query('create trigger other before insert on log for each row execute function other()')
  await expect(moveRows(from, to)).rejects.toThrow('Row 1 of the table log is not the same on both sides.')
  expect(await read(to, 'workspace')).toEqual([])
  await Promise.all([from.close(), to.close()])
})

test('tables come after those that they refer to', () => {
  const table = (name: string): TableToMove => ({ name, columns: [], key: [] })
  const parents: Record<string, string[]> = { a: ['c', 'b'], b: ['c'], c: [] }
  const all = ['a', 'b', 'c'].map(table)
  expect(parentsFirst(all, (name) => parents[name] ?? []).map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  expect(() => parentsFirst([table('d')], () => ['d'])).toThrow('refer to each other: d')
})
