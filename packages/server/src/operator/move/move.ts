/**
 * Moves an embedded installation to PostgreSQL: all rows of all tables in one transaction, which is committed only if
 * every row, read back, equals the original. A target with data is refused, unless it has exactly these rows: then an
 * earlier move was killed after its commit, and only its last steps are missing.
 */
import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Verdict } from '@svc/protocol'
import type pg from 'pg'
import type { Store } from '../../platform/db/open.ts'
import { type ColumnKind, type MovedColumn, readTables, type TableToMove } from './tables.ts'

interface MovedTable {
  table: string
  rows: number
  /** The SHA-256 of all rows of the table in the order of their key, read back from PostgreSQL. */
  sha256: string
}
export interface MovedRows {
  tables: MovedTable[]
  rows: number
  /** True if an earlier move had already copied the rows. */
  before: boolean
}
type Sqlite = Extract<Store, { engine: 'sqlite' }>
type Postgres = Extract<Store, { engine: 'postgres' }>
type TellProgress = (line: string) => void

/** Moves all rows or none. Both stores must have been migrated to this version. */
export async function moveRows(
  from: Sqlite,
  to: Postgres,
  progress: TellProgress = () => {},
): Promise<Verdict<MovedRows, 'target_not_empty'>> {
  const client = await to.pool.connect()
  try {
    await client.query('begin')
    const tables = await readTables(from.sqlite, client)
    // Locks the tables of PostgreSQL. Nobody else can write to them until the transaction ends, and a node that is
    // started too early waits.
    await client.query(`lock table ${tables.map(({ name }) => `"${name}"`).join(', ')} in share row exclusive mode`)
    const filled = await firstFilled(client, tables)
    if (!filled) await copy(from.sqlite, client, tables, progress)
    await copyTimes(from.sqlite, client)
    const checked = await compareAll(from.sqlite, client, tables, filled ? () => {} : progress)
    if (!checked.ok && filled) {
      await client.query('rollback')
      client.release()
      return {
        ok: false,
        code: 'target_not_empty',
        message: `The target holds data already, such as in its table ${filled}: name an empty database.`,
      }
    }
    if (!checked.ok) throw new Error(checked.message)
    await client.query('commit')
    client.release()
    const rows = checked.value.reduce((sum, table) => sum + table.rows, 0)
    return { ok: true, value: { tables: checked.value, rows, before: filled !== undefined } }
  } catch (error) {
    client.release(true) // Closing the connection undoes the transaction.
    throw error
  }
}

async function firstFilled(client: pg.PoolClient, tables: readonly TableToMove[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if ((await client.query(`select 1 from "${name}" limit 1`)).rows.length > 0) return name
  }
  return undefined
}

async function copy(
  sqlite: DatabaseSync,
  client: pg.PoolClient,
  tables: readonly TableToMove[],
  progress: TellProgress,
) {
  for (const table of tables) {
    const rows = await insertRows(client, table, sqliteRows(sqlite, table))
    for (const { name } of table.columns.filter(({ counted }) => counted)) {
      const next = `(select coalesce(max("${name}"), 0) + 1 from "${table.name}")`
      await client.query(`select setval(pg_get_serial_sequence($1, $2), ${next}, false)`, [`"${table.name}"`, name])
    }
    if (rows > 0) progress(`copied ${table.name}: ${rows} rows`)
  }
}

/** Copies the times at which the migrations ran, from which `statesSince` (web/queries/states.ts) gets its result. */
async function copyTimes(sqlite: DatabaseSync, client: pg.PoolClient): Promise<void> {
  for (const { name, timestamp } of sqlite.prepare('select name, timestamp from kysely_migration').all())
    await client.query('update kysely_migration set timestamp = $2 where name = $1', [name, timestamp])
}

async function compareAll(
  sqlite: DatabaseSync,
  client: pg.PoolClient,
  tables: readonly TableToMove[],
  progress: TellProgress,
): Promise<Verdict<MovedTable[]>> {
  const all: MovedTable[] = []
  for (const table of tables) {
    const compared = await compare(sqlite, client, table)
    if (!compared.ok) return compared
    if (compared.value.rows > 0) progress(`checked ${table.name}: ${compared.value.rows} rows`)
    all.push(compared.value)
  }
  return { ok: true, value: all }
}

/** Compares the rows of SQLite and PostgreSQL one by one, in the order of the key. */
async function compare(sqlite: DatabaseSync, client: pg.PoolClient, table: TableToMove): Promise<Verdict<MovedTable>> {
  const hash = createHash('sha256')
  const here = sqliteRows(sqlite, table)
  let rows = 0
  for await (const there of postgresRows(client, table)) {
    const text = textOf(there)
    const sqliteRow = here.next()
    if (sqliteRow.done || textOf(sqliteRow.value) !== text) return rowDiffers(table, rows + 1)
    hash.update(text).update('\n')
    rows++
  }
  if (!here.next().done) return rowDiffers(table, rows + 1)
  return { ok: true, value: { table: table.name, rows, sha256: hash.digest('hex') } }
}

const rowDiffers = ({ name }: TableToMove, at: number) =>
  ({ ok: false, code: 'differs', message: `Row ${at} of the table ${name} is not the same on both sides.` }) as const

// Reads the rows of a table from SQLite and from PostgreSQL, in the order of their key, as values that can be compared,
// and inserts rows into PostgreSQL.

type MovedValue = string | number | boolean | Date | Uint8Array | null
type MovedRow = MovedValue[]

/**
 * An insert statement takes rows until it has `rowsAtOnce` rows or `bytesAtOnce` bytes. At most `rowsAtOnce` rows are
 * fetched at once.
 */
const rowsAtOnce = 500
const bytesAtOnce = 8 * 1024 * 1024

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const columnList = (columns: readonly MovedColumn[]) => columns.map(({ name }) => quoted(name)).join(', ')

/** The rows of the SQLite database, each value as PostgreSQL stores it. Both databases order text by its bytes here. */
function* sqliteRows(sqlite: DatabaseSync, { name, columns, key }: TableToMove): Generator<MovedRow> {
  const order = key.map(quoted).join(', ')
  const statement = sqlite.prepare(`select ${columnList(columns)} from ${quoted(name)} order by ${order}`)
  for (const row of statement.iterate()) {
    yield columns.map((column) => asPostgres(row[column.name] ?? null, column.kind, `${name}.${column.name}`))
  }
}

/**
 * Converts a value to PostgreSQL's type. Dates and booleans come from the accounts library, and are text and numbers in
 * SQLite.
 */
function asPostgres(value: string | number | bigint | Uint8Array | null, kind: ColumnKind, where: string): MovedValue {
  if (value === null) return null
  if (kind === 'text' && typeof value === 'string') return value
  if (kind === 'bytea' && value instanceof Uint8Array) return value
  if ((kind === 'bigint' || kind === 'integer') && Number.isSafeInteger(value)) return Number(value)
  if (kind === 'boolean' && (value === 0 || value === 1)) return value === 1
  if (kind === 'timestamp with time zone' && typeof value === 'string' && !Number.isNaN(Date.parse(value)))
    return new Date(value)
  throw new Error(`${where} holds a value that is no ${kind}.`)
}

/** The rows of PostgreSQL, through a cursor of the running transaction. */
async function* postgresRows(client: pg.ClientBase, { name, columns, key }: TableToMove): AsyncGenerator<MovedRow> {
  const kindOf = new Map(columns.map((column) => [column.name, column.kind]))
  const order = key.map((of) => quoted(of) + (kindOf.get(of) === 'text' ? ' collate "C"' : '')).join(', ')
  await client.query(
    `declare moved no scroll cursor for select ${columnList(columns)} from ${quoted(name)} order by ${order}`,
  )
  const some = columns.some(({ kind }) => kind === 'bytea') ? 1 : rowsAtOnce
  for (let more = true; more; ) {
    const { rows } = await client.query({ text: `fetch ${some} from moved`, rowMode: 'array' })
    yield* rows as MovedRow[]
    more = rows.length === some
  }
  await client.query('close moved')
}

/** Inserts rows, many with each statement, which takes an array for each column. Returns the number of rows. */
async function insertRows(client: pg.ClientBase, table: TableToMove, rows: Iterable<MovedRow>): Promise<number> {
  const { name, columns } = table
  const arrays = columns.map(({ kind }, i) => `$${i + 1}::${kind}[]`).join(', ')
  const insert = `insert into ${quoted(name)} (${columnList(columns)}) select * from unnest(${arrays})`
  let waiting: MovedRow[] = []
  let bytes = 0
  let written = 0
  const flush = async () => {
    if (waiting.length > 0)
      await client.query(
        insert,
        columns.map((_, i) => waiting.map((row) => row[i])),
      )
    written += waiting.length
    waiting = []
    bytes = 0
  }
  for (const row of rows) {
    waiting.push(row)
    for (const value of row) bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
    if (waiting.length >= rowsAtOnce || bytes >= bytesAtOnce) await flush()
  }
  await flush()
  return written
}

/** A row as one text, which is the same for SQLite and PostgreSQL, for comparing and hashing. */
const textOf = (row: MovedRow): string =>
  JSON.stringify(row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)))
