/** Opens the store with one of two engines: SQLite inside this process, or a PostgreSQL server. */
import type { Socket } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { durableDialect, openWriteAheadLog, type WriteAheadLog } from './durable.ts'
import { openSqlite } from './sqlite.ts'
import type { Tables } from './tables.ts'
import { createWriterLock, type WriterLock } from './writer-lock.ts'

export type Db = Kysely<Tables>

/**
 * An open store. Pages and operations use `db`; the code that stores reports uses `sqlite` or `pool` directly, and on
 * SQLite waits for `log`. `close` also closes `sqlite` or `pool`, because Kysely closes only those that it has used,
 * and an idle pool would keep the process alive for 10 s.
 */
export type Store =
  | { engine: 'sqlite'; db: Db; sqlite: DatabaseSync; log: WriteAheadLog; lock: WriterLock; close: () => Promise<void> }
  | {
      engine: 'postgres'
      db: Db
      pool: pg.Pool
      /**
       * After this call, a connection to PostgreSQL is closed if no data was received or sent on it for `ms`, so no
       * statement waits longer for its answer. A machine that lost power or a dead network sends nothing, and the
       * kernel alone would keep such a connection for a quarter of an hour.
       */
      giveUpAfter: (ms: number) => void
      /**
       * After this call, each new connection is given to `check` before it is used. If `check` rejects, the connection
       * is closed.
       */
      checkConnections: (check: (client: pg.ClientBase) => Promise<void>) => void
      close: () => Promise<void>
    }

/** Reads the PostgreSQL types int8 and numeric as JavaScript numbers, since every stored value is a safe integer. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === 20 || oid === 1700) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

export function openEmbedded(file: string): Store {
  const sqlite = openSqlite(file)
  const log = openWriteAheadLog(sqlite, file)
  const lock = createWriterLock()
  const db = new Kysely<Tables>({ dialect: durableDialect(sqlite, log, lock) })
  return {
    engine: 'sqlite',
    db,
    sqlite,
    log,
    lock,
    async close() {
      await db.destroy()
      if (sqlite.isOpen) sqlite.close()
      log.close()
    },
  }
}

export function openPostgres(url: string): Store {
  let check: (client: pg.ClientBase) => Promise<void> = async () => {}
  const verify = (client: pg.PoolClient, done: (error?: Error) => void) =>
    void settle(client)
      .then(() => check(client))
      .then(() => done(), done)
  const pool = new pg.Pool({ connectionString: withMode(url), max: 10, connectionTimeoutMillis: 5000, types, verify })
  // Handles errors of idle connections, which the pool replaces. Without a listener such an error would end the
  // process.
  pool.on('error', () => {})
  // Handles errors of connections in use. The statement that fails reports the error to its caller, so nothing else has
  // to be done.
  pool.on('connect', (client) => client.on('error', () => {}))
  const sockets = new Set<Socket>()
  let silence = 0
  const watch = (socket: Socket) => socket.setTimeout(silence)
  pool.on('connect', (client) => {
    const socket = socketOf(client)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('timeout', () => socket.destroy(new Error(`PostgreSQL was silent for ${silence / 1000} s.`)))
    watch(socket)
  })
  const giveUpAfter = (ms: number) => {
    silence = ms
    for (const socket of sockets) watch(socket)
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    engine: 'postgres',
    db,
    pool,
    giveUpAfter,
    checkConnections: (next) => {
      check = next
    },
    async close() {
      await db.destroy()
      if (!pool.ending) await pool.end()
    },
  }
}

/**
 * Replaces the `sslmode` of an address by `verify-full` if it is `prefer`, `require` or `verify-ca`, since the library
 * treats these like `verify-full`. Otherwise the library would write a warning about that into the log.
 */
export const withMode = (url: string): string =>
  /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/(?<=\?(?:.*&)?sslmode=)(prefer|require|verify-ca)(?=&|$)/g, 'verify-full')

/** The socket of a connection, which the library does not expose. */
const socketOf = (client: pg.PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

// The settings of a PostgreSQL session on which the code relies, in one place. A role or a database may set other
// values, which survive dumps. So each new connection, also one of the accounts library, sets these values before it is
// used.

/** Each setting with its value. Settings that are not listed, such as `search_path`, may have any value. */
export const sessionSettings = {
  // The library reads dates as ISO writes them. With any other style it could read no date, so no session would be
  // valid.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  // The shortest text that is exactly the stored number: costs are stored as they were reported.
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // Lists with null are sent as arrays. If this setting were off, PostgreSQL would read null as the text NULL.
  array_nulls: 'on',
  transform_null_equals: 'off',
  // The code locks rows as the isolation level `read committed` requires.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // An error ends a statement, not the connection.
  exit_on_error: 'off',
  // The service sets its own limit (`giveUpAfter`), and migrations and moves from an embedded database may take long.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
} as const

const names = Object.keys(sessionSettings)
const statement = `select ${names.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`).join(', ')}`
const values = Object.entries(sessionSettings).flat()

/** Sets the session settings on a new connection. */
async function settle(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(statement, values)
}
