/**
 * Makes commits of the embedded database durable: another thread syncs the write-ahead log to the disk, and a promise
 * resolves after that. Meanwhile the main thread handles other requests.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SelectQueryNode,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { kyselyDatabase } from './sqlite.ts'

/** Syncs the write-ahead log of an open database. */
export interface Log {
  /** Resolves when all commits before the call are on the disk. Rejects if the disk reports an error. */
  sync(): Promise<void>
  /** Closes the file of the log. It must not be called during a sync. */
  close(): void
}

const datasync = promisify(fdatasync)

/**
 * Returns the write-ahead log of the database in `file`. Calls of `sync` that come while a sync runs all wait for one
 * further sync. Tests replace `syncFile`.
 */
export function openLog(db: DatabaseSync, file: string, syncFile: (fd: number) => Promise<void> = datasync): Log {
  let fd: number | undefined
  let mayHaveHole = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  /**
   * Syncs the log once. After a failed sync the log may have a gap, and after a power cut SQLite reads nothing behind a
   * gap. So the next call copies the log into the database file instead.
   */
  async function once(): Promise<void> {
    if (mayHaveHole) copyLog(db)
    else {
      mayHaveHole = true
      // The log's file is opened at the first sync, because SQLite creates this file only with the first transaction.
      fd ??= openSync(`${file}-wal`, 'r')
      await syncFile(fd)
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
    sync() {
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
export function durableDialect(db: DatabaseSync, log: Log): SqliteDialect {
  const config = { database: kyselyDatabase(db) }
  return new (class extends SqliteDialect {
    override createDriver(): Driver {
      return new DurableDriver(config, db, log)
    }
  })(config)
}

class DurableDriver extends SqliteDriver {
  readonly #db: DatabaseSync
  readonly #log: Log

  constructor(config: ConstructorParameters<typeof SqliteDriver>[0], db: DatabaseSync, log: Log) {
    super(config)
    this.#db = db
    this.#log = log
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      executeQuery: async <R>(query: CompiledQuery) => {
        const result = await connection.executeQuery<R>(query)
        if (!this.#db.isTransaction && !isRead(query)) await this.#log.sync()
        return result
      },
      streamQuery: (query, size) => connection.streamQuery(query, size),
    }
  }

  /** Undoes a transaction. If the commit succeeded and only the sync failed, there is nothing to undo. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#db.isTransaction) await super.rollbackTransaction(connection)
  }
}

const isRead = ({ query, sql }: CompiledQuery): boolean => SelectQueryNode.is(query) || /^\s*select\b/i.test(sql)
