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
import { insertRows, postgresRows, sqliteRows, textOf } from './rows.ts'
import { type Table, tablesOf } from './tables.ts'

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
type Progress = (line: string) => void

/** Moves all rows or none. Both stores must have been migrated to this version. */
export async function moveRows(
  from: Sqlite,
  to: Postgres,
  progress: Progress = () => {},
): Promise<Verdict<MovedRows, 'target_not_empty'>> {
  const client = await to.pool.connect()
  try {
    await client.query('begin')
    const tables = await tablesOf(from.sqlite, client)
    // Locks the tables of PostgreSQL. Nobody else can write to them until the transaction ends, and a node that is
    // started too early waits.
    await client.query(`lock table ${tables.map(({ name }) => `"${name}"`).join(', ')} in share row exclusive mode`)
    const filled = await firstFilled(client, tables)
    if (!filled) await copy(from.sqlite, client, tables, progress)
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

async function firstFilled(client: pg.PoolClient, tables: readonly Table[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if ((await client.query(`select 1 from "${name}" limit 1`)).rows.length > 0) return name
  }
  return undefined
}

async function copy(sqlite: DatabaseSync, client: pg.PoolClient, tables: readonly Table[], progress: Progress) {
  for (const table of tables) {
    const rows = await insertRows(client, table, sqliteRows(sqlite, table))
    for (const { name } of table.columns.filter(({ counted }) => counted)) {
      const next = `(select coalesce(max("${name}"), 0) + 1 from "${table.name}")`
      await client.query(`select setval(pg_get_serial_sequence($1, $2), ${next}, false)`, [`"${table.name}"`, name])
    }
    if (rows > 0) progress(`copied ${table.name}: ${rows} rows`)
  }
}

async function compareAll(
  sqlite: DatabaseSync,
  client: pg.PoolClient,
  tables: readonly Table[],
  progress: Progress,
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
async function compare(sqlite: DatabaseSync, client: pg.PoolClient, table: Table): Promise<Verdict<MovedTable>> {
  const hash = createHash('sha256')
  const here = sqliteRows(sqlite, table)
  let rows = 0
  for await (const there of postgresRows(client, table)) {
    const text = textOf(there)
    const mine = here.next()
    if (mine.done || textOf(mine.value) !== text) return differs(table, rows + 1)
    hash.update(text).update('\n')
    rows++
  }
  if (!here.next().done) return differs(table, rows + 1)
  return { ok: true, value: { table: table.name, rows, sha256: hash.digest('hex') } }
}

const differs = ({ name }: Table, at: number) =>
  ({ ok: false, code: 'differs', message: `Row ${at} of the table ${name} is not the same on both sides.` }) as const
