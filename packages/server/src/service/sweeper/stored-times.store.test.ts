import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'
import { mendTimes } from './mend.ts'
import { mendedTime, storedTimes, type TimeRule } from './stored-times.ts'

const hour = 3_600_000
const then = Date.UTC(2026, 10, 21, 12)

interface Column {
  table: string
  name: string
  type: string
  required: boolean
}

/** All columns of all tables, as the database reports them. */
async function columnsOf({ db, engine }: Store): Promise<Column[]> {
  const { rows } = await (engine === 'sqlite'
    ? sql<Column>`select m.name as "table", c.name, lower(c.type) as type,
        (c."notnull" = 1 or c.pk > 0) and c.dflt_value is null as required
      from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'`
    : sql<Column>`select c.table_name as "table", c.column_name as name, c.data_type as type,
        c.is_nullable = 'NO' and c.column_default is null and c.is_identity = 'NO' as required
      from information_schema.columns c where c.table_schema = current_schema()`
  ).execute(db)
  return rows.map((row) => ({ ...row, required: Boolean(row.required) }))
}

/** Columns with these names hold times. The service's own are in snake case, those of the accounts library are not. */
const isTime = ({ name }: Column): boolean => /(^|_)(at|until|since)$/.test(name) || /At$/.test(name)
/** The tables of the migrations themselves, which run before the service. */
const isOurs = ({ table }: Column): boolean => !table.startsWith('kysely_') && !table.startsWith('sqlite_')

const ruleOf = (column: Column): TimeRule | undefined => storedTimes[column.table]?.[column.name]

/** The time that a service whose clock shows `then` stores in a column: now for an event, the end for a deadline. */
function stored(rule: TimeRule | undefined): number | RawBuilder<number> {
  if (rule?.is === 'event' && rule.unit !== undefined) return Math.floor(then / rule.unit)
  if (!rule || !('full' in rule) || rule.is === 'proof') return then
  return typeof rule.full === 'number' ? then + rule.full : sql<number>`(cast(${then} as bigint) + ${rule.full})`
}

/** A value for a column, of a type that both engines take. */
const filler = ({ type }: Column) =>
  /bool/.test(type) ? false : /int|numeric/.test(type) ? 0 : /blob|bytea/.test(type) ? Buffer.from('x') : 'x'

const asNumber = (value: unknown): number | null =>
  value === null ? null : typeof value === 'number' ? value : new Date(value as string | Date).getTime()

onEveryEngine('stored times', (open) => {
  test('have a rule for each column of the schema that holds one, and only for these', async () => {
    const columns = (await columnsOf(await open())).filter(isOurs)
    const without = columns.filter((column) => isTime(column) && !ruleOf(column))
    expect(without.map(({ table, name }) => `${table}.${name}`)).toEqual([])
    const known = new Set(columns.map(({ table, name }) => `${table}.${name}`))
    const ruled = Object.entries(storedTimes).flatMap(([table, rules]) =>
      Object.keys(rules).map((name) => `${table}.${name}`),
    )
    expect(ruled.filter((name) => !known.has(name))).toEqual([])
  })

  test.each([-3, 3])('that cannot be decide nothing after the clock was changed by %i h', async (hours) => {
    const store = await open()
    const all = (await columnsOf(store)).filter(isOurs)
    await fill(store, all)
    const before = await timesIn(store, all)
    const now = then + hours * hour
    const count = await mendTimes(store, now, 0)
    const after = await timesIn(store, all)
    if (hours > 0) return expect([count, after]).toEqual([0, before])
    for (const column of all.filter(ruleOf)) {
      const name = `${column.table}.${column.name}`
      expect([name, after[name]]).toEqual([name, expected(ruleOf(column) as TimeRule, before[name] ?? null, now)])
    }
    expect(await mendTimes(store, now, 0), 'a second time').toBe(0)
  })

  test('permits end earlier by the time by which this process saw its clock set back', async () => {
    const store = await open()
    const all = (await columnsOf(store)).filter(isOurs)
    await fill(store, all)
    const minutes = 10 * 60_000
    const invitations = ['operator_invitation.expires_at', 'invitation.expiresAt']
    await makeOlder(store, hour)
    const before = await timesIn(store, all)
    await mendTimes(store, then - minutes, minutes)
    const after = await timesIn(store, all)
    const code = 'install_code.expires_at'
    // The install code was issued at `then`. With the clock set back, its end is farther away than an end can be.
    expect(after[code]).toBeLessThanOrEqual(then - minutes)
    for (const invitation of invitations)
      expect([invitation, after[invitation]]).toEqual([invitation, (before[invitation] ?? 0) - minutes])
    await mendTimes(store, then - minutes + 1000, minutes)
    expect(await timesIn(store, all), 'by another node a second later').toEqual(after)
  })
})

/** Moves the ends of invitations to what they are when the invitations were sent some time ago. */
async function makeOlder({ db, engine }: Store, ms: number): Promise<void> {
  await sql`update operator_invitation set expires_at = expires_at - ${ms}`.execute(db)
  const { rows } = await sql<{ at: string | Date }>`select ${sql.ref('expiresAt')} as at from invitation`.execute(db)
  const end = new Date(new Date(rows[0]?.at ?? 0).getTime() - ms)
  const stored = engine === 'sqlite' ? end.toISOString() : end
  await sql`update invitation set ${sql.ref('expiresAt')} = ${stored}`.execute(db)
}

function expected(rule: TimeRule, before: number | null, now: number): number | null {
  const change = mendedTime(rule, now)
  return change ? change.value : before
}

/** Inserts a row into each table with times, as a service whose clock shows `then` stores it. */
async function fill({ db, engine }: Store, all: readonly Column[]): Promise<void> {
  if (engine === 'sqlite') await sql`pragma foreign_keys = off`.execute(db)
  await db.connection().execute(async (one) => {
    if (engine === 'postgres') await sql`set session_replication_role = replica`.execute(one)
    for (const table of Object.keys(storedTimes)) {
      const columns = all.filter((column) => column.table === table && (column.required || ruleOf(column)))
      const values = columns.map((column) => sampleOf(column, engine))
      await sql`insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
        select ${sql.join(values)} from (select 1 as tries, 'reset' as purpose) as one
        where not exists (select 1 from ${sql.table(table)})`.execute(one)
    }
    if (engine === 'postgres') await sql`set session_replication_role = origin`.execute(one)
  })
}

function sampleOf(column: Column, engine: Store['engine']) {
  const rule = ruleOf(column)
  if (column.name === 'purpose') return sql`'reset'`
  if (column.name === 'tries') return sql`1`
  if (!rule) return sql`${filler(column)}`
  const value = stored(rule)
  if (typeof value !== 'number') return value
  if (!column.name.endsWith('At')) return sql`cast(${value} as bigint)`
  return engine === 'sqlite' ? sql`${new Date(value).toISOString()}` : sql`cast(${new Date(value)} as timestamptz)`
}

/** Every time of every row, by table and column. */
async function timesIn({ db }: Store, all: readonly Column[]): Promise<Record<string, number | null>> {
  const times: Record<string, number | null> = {}
  for (const [table, rules] of Object.entries(storedTimes)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
    expect([table, rows.length]).toEqual([table, 1])
    for (const name of Object.keys(rules)) times[`${table}.${name}`] = asNumber(rows[0]?.[name])
  }
  expect(all.length).toBeGreaterThan(0)
  return times
}
