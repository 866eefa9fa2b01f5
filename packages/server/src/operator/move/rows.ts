/**
 * Reads the rows of a table from SQLite and from PostgreSQL, in the order of their key, as values that can be compared,
 * and inserts rows into PostgreSQL.
 */
import type { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import type { Column, ColumnKind, Table } from './tables.ts'

type MovedValue = string | number | boolean | Date | Uint8Array | null
type MovedRow = MovedValue[]

/**
 * The numbers of rows and of bytes at which an insert statement takes no further row. At most the same number of rows
 * is fetched at once.
 */
const rowsAtOnce = 500
const bytesAtOnce = 8 * 1024 * 1024

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const listed = (columns: readonly Column[]) => columns.map(({ name }) => quoted(name)).join(', ')

/** The rows of the SQLite database, each value as PostgreSQL stores it. Both databases order text by its bytes here. */
export function* sqliteRows(sqlite: DatabaseSync, { name, columns, key }: Table): Generator<MovedRow> {
  const order = key.map(quoted).join(', ')
  const statement = sqlite.prepare(`select ${listed(columns)} from ${quoted(name)} order by ${order}`)
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
export async function* postgresRows(client: pg.ClientBase, { name, columns, key }: Table): AsyncGenerator<MovedRow> {
  const kindOf = new Map(columns.map((column) => [column.name, column.kind]))
  const order = key.map((of) => quoted(of) + (kindOf.get(of) === 'text' ? ' collate "C"' : '')).join(', ')
  await client.query(
    `declare moved no scroll cursor for select ${listed(columns)} from ${quoted(name)} order by ${order}`,
  )
  const some = columns.some(({ kind }) => kind === 'bytea') ? 1 : rowsAtOnce
  for (let more = true; more; ) {
    const { rows } = await client.query({ text: `fetch ${some} from moved`, rowMode: 'array' })
    yield* rows as MovedRow[]
    more = rows.length === some
  }
  await client.query('close moved')
}

/** Inserts many rows with one statement, which takes an array for each column. */
export async function insertRows(client: pg.ClientBase, table: Table, rows: Iterable<MovedRow>): Promise<number> {
  const { name, columns } = table
  const arrays = columns.map(({ kind }, i) => `$${i + 1}::${kind}[]`).join(', ')
  const insert = `insert into ${quoted(name)} (${listed(columns)}) select * from unnest(${arrays})`
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
export const textOf = (row: MovedRow): string =>
  JSON.stringify(row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)))
