/**
 * Makes commits of the embedded database durable: the write-ahead log is synced to the disk, and a promise resolves
 * after that. Another thread syncs what may take long, so that the main thread handles other requests meanwhile.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { kyselyDatabase } from './sqlite.ts'
import { createWriterLock, type WriterLock } from './writer-lock.ts'

/** Syncs the write-ahead log of an open database. */
export interface WriteAheadLog {
  /**
   * Resolves when all commits before the call are on the disk. Rejects if the disk reports an error. `bytes` is the
   * approximate size of what was committed since the last call; without it the commit counts as large.
   */
  sync(bytes?: number): Promise<void>
  /** Closes the file of the log. It must not be called during a sync. */
  close(): void
}

/**
 * The ways to sync a file: in the calling thread, or in another one. `clock` is in milliseconds and never goes back.
 */
interface Disk {
  sync(fd: number): void
  syncInThread(fd: number): Promise<void>
  clock(): number
}
const realDisk: Disk = {
  sync: fdatasyncSync,
  syncInThread: promisify(fdatasync),
  clock: () => performance.now(),
}

/**
 * The maximum bytes of a commit that the calling thread syncs itself. On a quick disk that costs less than waking
 * another thread, which takes about 100 µs of CPU time.
 */
const smallBytes = 256 * 1024
/** The minimum milliseconds of a sync of the calling thread that counts as slow. */
const slowMs = 20
/** The milliseconds after a slow sync during which all syncs are left to another thread. */
const waryMs = 10_000

/**
 * Returns the write-ahead log of the database in `file`. Calls of `sync` that come while another thread syncs all wait
 * for one further sync. Tests replace the disk.
 */
export function openWriteAheadLog(db: DatabaseSync, file: string, disk: Disk = realDisk): WriteAheadLog {
  let fd: number | undefined
  let mayHaveHole = false
  let waryUntil = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  // The log's file is opened at the first sync, because SQLite creates this file only with the first transaction.
  const opened = () => {
    fd ??= openSync(`${file}-wal`, 'r')
    return fd
  }

  function syncHere(): void {
    mayHaveHole = true
    const from = disk.clock()
    disk.sync(opened())
    const to = disk.clock()
    if (to - from >= slowMs) waryUntil = to + waryMs
    mayHaveHole = false
  }

  /**
   * Syncs the log in another thread. After a failed sync the log may have a gap, and after a power cut SQLite reads
   * nothing behind a gap. So the next call copies the log into the database file instead.
   */
  async function once(): Promise<void> {
    if (mayHaveHole) copyLog(db)
    else {
      mayHaveHole = true
      await disk.syncInThread(opened())
    }
    mayHaveHole = false
  }

  function start(): Promise<void> {
    next = undefined
    running = once().finally(() => {
      running = next
    })
    return running
  }

  return {
    async sync(bytes = Number.POSITIVE_INFINITY) {
      if (!running && !mayHaveHole && bytes <= smallBytes && disk.clock() >= waryUntil) return syncHere()
      if (!running) return start()
      next ??= running.then(start, start)
      return next
    },
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}

/** Copies the whole log into the database file, syncs that file, and empties the log. */
function copyLog(db: DatabaseSync): void {
  const { busy } = db.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
  if (busy !== 0) throw new Error('After a failed sync the log of the database could not be copied into its file.')
}

/** The Kysely dialect for `db`. Its statements and transactions resolve when their changes are on the disk. */
export function durableDialect(
  db: DatabaseSync,
  log: WriteAheadLog,
  lock: WriterLock = createWriterLock(),
): SqliteDialect {
  const config = { database: kyselyDatabase(db) }
  return new (class extends SqliteDialect {
    override createDriver(): Driver {
      return new DurableDriver(config, { db, log, lock })
    }
    override createAdapter(): SqliteAdapter {
      return new WholeMigrations()
    }
  })(config)
}

/**
 * Makes Kysely run all migrations in one transaction, as on PostgreSQL. Otherwise an upgrade that a full disk or a kill
 * interrupts would leave a part of a migration, and every later start would fail.
 */
class WholeMigrations extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class DurableDriver extends SqliteDriver {
  readonly #db: DatabaseSync
  readonly #log: WriteAheadLog
  readonly #lock: WriterLock

  constructor(
    config: ConstructorParameters<typeof SqliteDriver>[0],
    { db, log, lock }: { db: DatabaseSync; log: WriteAheadLog; lock: WriterLock },
  ) {
    super(config)
    this.#db = db
    this.#log = log
    this.#lock = lock
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      executeQuery: async <R>(query: CompiledQuery) => {
        const run = () => connection.executeQuery<R>(query)
        let result: QueryResult<R>
        try {
          result = await run()
        } catch (error) {
          result = await this.#lock.again(error, run)
        }
        if (isRead(query)) return result
        if (this.#lock.heldSince !== undefined && takesLock.test(query.sql)) this.#lock.free()
        if (!this.#db.isTransaction) await this.#log.sync()
        return result
      },
      streamQuery: (query, size) => connection.streamQuery(query, size),
    }
  }

  /** Rolls a transaction back. If the commit succeeded and only the sync failed, there is nothing to roll back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#db.isTransaction) await super.rollbackTransaction(connection)
  }
}

/**
 * Matches statements that succeed only with SQLite's lock for writing. A transaction that only reads begins and ends
 * without that lock, so `begin` and `commit` do not match.
 */
const takesLock = /^\s*(?:insert|update|delete|replace|create|alter|drop|pragma user_version)\b/i

const isRead = ({ query, sql }: CompiledQuery): boolean => SelectQueryNode.is(query) || /^\s*select\b/i.test(sql)
