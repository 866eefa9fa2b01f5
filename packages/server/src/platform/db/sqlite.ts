import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** The maximum number of prepared statements that are cached for Kysely; node:sqlite caches none. */
const maxStatements = 500
/**
 * The oldest version of SQLite with which the service starts. In older versions, a fault of the write-ahead log may
 * corrupt a database.
 */
const minVersion = [3, 51, 3] as const

/**
 * The maximum size of SQLite's page cache in KiB; the memory is allocated as it is used. An agent takes about 6 KB, so
 * the last reports of 40,000 agents need not be read from the disk.
 */
const cacheKib = 256 * 1024

/**
 * Opens the embedded database: one connection, and one process per file. SQLite writes a commit to the log but does not
 * sync it, because a sync may take a tenth of a second. durable.ts syncs the log, usually in another thread, and every
 * commit is answered only after that. Once the database is open, SQLite never waits for a lock inside the event loop
 * (writer-lock.ts).
 */
export function openSqlite(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 })
  db.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 4000;
    pragma secure_delete = on; pragma cache_size = -${cacheKib}; pragma temp_store = memory; pragma busy_timeout = 0`)
  const version = String(db.prepare('select sqlite_version() as version').get()?.version)
  if (isOlder(version)) {
    db.close()
    throw new Error(`SQLite ${minVersion.join('.')} or newer is needed: this Node brings ${version}.`)
  }
  return db
}

function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [i, min] of minVersion.entries()) {
    const part = parts[i] ?? 0
    if (part !== min) return part < min
  }
  return false
}

/** Adapts Node's SQLite database to the interface that Kysely's SQLite dialect expects. */
export function kyselyDatabase(db: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    prepare(text) {
      const known = statements.get(text)
      if (known) return known
      const statement = kyselyStatement(db.prepare(text))
      if (statements.size >= maxStatements) statements.delete(statements.keys().next().value ?? '')
      statements.set(text, statement)
      return statement
    },
    close: () => db.close(),
  }
}

function kyselyStatement(statement: StatementSync): SqliteStatement {
  const columnNames = () => statement.columns().map(({ name }) => name)
  let names = columnNames()
  if (names.length > 0) statement.setReturnArrays(true)
  return {
    reader: names.length > 0,
    all: (parameters) => {
      const rows = statement.all(...parameters.map(bindable)) as unknown as SQLOutputValue[][]
      // A statement such as `select *` returns more columns after a migration.
      if (rows[0] && rows[0].length !== names.length) names = columnNames()
      return rows.map((row) => objectOf(names, row))
    },
    *iterate(parameters) {
      for (const row of statement.iterate(...parameters.map(bindable)))
        yield objectOf(names, row as unknown as SQLOutputValue[])
    },
    run: (parameters) => statement.run(...parameters.map(bindable)),
  }
}

/**
 * Makes the object of a row. The objects that node:sqlite makes are hash tables, which take twice as long to make and
 * more than twice the memory; an evaluation of alerts reads tens of thousands of rows.
 */
function objectOf(names: readonly string[], row: readonly SQLOutputValue[]): Record<string, SQLOutputValue> {
  const object: Record<string, SQLOutputValue> = {}
  for (let i = 0; i < names.length; i++) object[names[i] as string] = row[i] as SQLOutputValue
  return object
}

/** Converts values that SQLite cannot bind: the accounts library passes dates and booleans. */
function bindable(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value as SQLInputValue
}
