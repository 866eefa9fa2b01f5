/** Opens the store with one of two engines: SQLite inside this process, or a PostgreSQL server. */
import type { Socket } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { durableDialect, type Log, openLog } from './durable.ts'
import { settle } from './session-settings.ts'
import { openSqlite } from './sqlite.ts'
import type { Tables } from './tables.ts'
import { newWriterLock, type WriterLock } from './writer-lock.ts'

export type Db = Kysely<Tables>

/**
 * An open store. Pages and operations use `db`; the code that stores reports uses `sqlite` or `pool` directly, and on
 * SQLite waits for `log`. `close` also closes `sqlite` or `pool`, because Kysely closes only what it has used, and an
 * idle pool would keep the process alive for 10 s.
 */
export type Store =
  | { engine: 'sqlite'; db: Db; sqlite: DatabaseSync; log: Log; lock: WriterLock; close: () => Promise<void> }
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
      /** After this call, each new connection is given to `check` before it is used. If that fails, it is closed. */
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
  const log = openLog(sqlite, file)
  const lock = newWriterLock()
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
 * Names the mode that the library uses for `prefer`, `require` and `verify-ca`: otherwise it writes a warning about
 * itself into the log.
 */
export const withMode = (url: string): string =>
  /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/(?<=\?(?:.*&)?sslmode=)(prefer|require|verify-ca)(?=&|$)/g, 'verify-full')

/** The socket of a connection, which the library does not expose. */
const socketOf = (client: pg.PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream
