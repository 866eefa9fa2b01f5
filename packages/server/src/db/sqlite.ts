import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

/** Statements kept prepared; node:sqlite itself keeps none. */
const kept = 500
/** The first version whose WAL reset fix is in; older ones may corrupt a database (checked at start). */
const minVersion = [3, 51, 3] as const

/** KiB of the file that stay in memory, taken as they are used: about 6 KB of it an agent, so that 40,000 agents' last reports need no reading. */
const cacheKib = 256 * 1024

/** Opens the embedded database: one connection, one process a file; every commit is on the disk before it is answered. */
export function openSqlite(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 })
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000;
    pragma secure_delete = on; pragma cache_size = -${cacheKib}; pragma temp_store = memory`)
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

/** What Kysely's SQLite dialect wants of a database, over Node's own. */
export function kyselyDatabase(db: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    prepare(text) {
      const known = statements.get(text)
      if (known) return known
      const statement = kyselyStatement(db.prepare(text))
      if (statements.size >= kept) statements.delete(statements.keys().next().value ?? '')
      statements.set(text, statement)
      return statement
    },
    close: () => db.close(),
  }
}

function kyselyStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(bindable)),
    iterate: (parameters) => statement.iterate(...parameters.map(bindable)),
    run: (parameters) => statement.run(...parameters.map(bindable)),
  }
}

/** Values that SQLite does not know, as it can bind them: the accounts library hands over dates and booleans. */
function bindable(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value as SQLInputValue
}
