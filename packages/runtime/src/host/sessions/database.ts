/**
 * Reads the SQLite databases of other programs. Nothing is written into them, and no lock is held after a read. SQLite
 * creates files beside a database in two cases only: there is a `-wal` file without its `-shm` file, or Node is too old
 * for URLs of databases and nobody has the database open. `node:sqlite` is loaded only when there is a database.
 */
import { existsSync, lstatSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isOwner } from '../../machine/files/own.ts'

/** The milliseconds for which a read waits for a lock of the other program. */
const lockedMs = 2000

/** The version of Node to install for reading sessions that are in a database. Messages to people name it. */
export const sqliteNode = '22.13'

/** The forms in which a version of Node accepts the name of a database. */
type SqliteNames = 'none' | 'paths' | 'paths and URLs'

/** `node:sqlite` works without an option of Node from 22.13 and 23.4 on, and takes URLs from 22.15 and 23.10 on. */
export function sqliteNamesIn(node: string): SqliteNames {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const [first, withUrls] = major > 23 ? [0, 0] : major === 23 ? [4, 10] : major === 22 ? [13, 15] : [never, never]
  if (minor < first) return 'none'
  return minor < withUrls ? 'paths' : 'paths and URLs'
}
const never = Number.POSITIVE_INFINITY

type Sqlite = typeof import('node:sqlite')
let loaded: { readonly sqlite: Sqlite | undefined } | undefined

/** True if this version of Node can read databases. */
export const hasSqlite = (): boolean => sqliteOfNode() !== undefined

function sqliteOfNode(): Sqlite | undefined {
  loaded ??= { sqlite: sqliteNamesIn(process.versions.node) === 'none' ? undefined : loadQuietly() }
  return loaded.sqlite
}

/** Loads the module without the warning of Node that it is experimental, which no person could act on. */
function loadQuietly(): Sqlite | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    // Old versions of Node 20 do not have the function.
    return (process.getBuiltinModule as typeof process.getBuiltinModule | undefined)?.('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The state of a database on the disk. */
export interface DatabaseFile {
  /** A text that changes whenever something was written to the database. */
  readonly stamp: string
  /** True if it is a regular file that belongs to the user of this process. */
  readonly isOwn: boolean
}

/** Looks at the file of a database; undefined if there is none. Links are not followed. */
export function databaseAt(file: string): DatabaseFile | undefined {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    const log = lstatSync(`${file}-wal`, { throwIfNoEntry: false })
    return {
      stamp: [stat, log].map((one) => one && `${one.ino} ${one.size} ${one.mtimeMs}`).join(),
      isOwn: stat.isFile() && isOwner(stat.uid),
    }
  } catch {
    return { stamp: '', isOwn: false } // its folder cannot be read
  }
}

/** Reads a database, and closes it. Throws what `node:sqlite` throws. */
export function readDatabase<T>(file: string, read: (database: DatabaseSync) => T): T {
  const sqlite = sqliteOfNode()
  if (sqlite === undefined) throw new Error(`A database needs Node ${sqliteNode}`)
  // Without either of these two files, no program is writing to the database.
  const isOpen = existsSync(`${file}-wal`) || existsSync(`${file}-journal`)
  const name = databaseName(file, isOpen, sqliteNamesIn(process.versions.node))
  const database = new sqlite.DatabaseSync(name, { readOnly: true })
  try {
    // Older versions of Node ignore the option of the constructor that sets this timeout.
    database.exec(`pragma busy_timeout = ${lockedMs}`)
    return read(database)
  } finally {
    database.close()
  }
}

/** The name by which a database is opened. If no program is writing, `immutable=1` keeps SQLite from creating files. */
export const databaseName = (file: string, isOpen: boolean, names: SqliteNames): string =>
  isOpen || names !== 'paths and URLs' ? file : `${pathToFileURL(file).href}?immutable=1`

/** The names of the columns of a table; none if there is no such table. */
export const columnsOf = (database: DatabaseSync, table: string): ReadonlySet<string> =>
  new Set(
    database
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name)),
  )

const busyCodes: readonly unknown[] = [5, 6]

/** A part of a sentence about an error of `readDatabase`. */
export function databaseFault(error: unknown): string {
  const { errcode, message } = error as { readonly errcode?: unknown; readonly message?: unknown }
  if (typeof errcode === 'number' && busyCodes.includes(errcode & 0xff)) return 'its database is locked'
  const missing = /^no such (?:column|table): ([a-z_0-9]{1,40})$/.exec(String(message))
  return missing ? `its database has no ${missing[1]}` : 'its database cannot be read'
}
