/**
 * Handles the lock of the embedded database while another program holds it, such as a database browser. A statement is
 * tried again for a second, and other work goes on in between; SQLite itself would block the event loop. After that,
 * each statement that needs the lock fails at once until one succeeds.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** The milliseconds for which a statement is tried again, and the milliseconds between two tries. */
const [patienceMs, everyMs] = [1000, 25]

export interface WriterLock {
  /**
   * The time at which another program was first seen to hold the lock, in Unix milliseconds; undefined if none holds
   * it.
   */
  readonly heldSince: number | undefined
  /** Calls the listener once when another program is found to hold the lock, and once when it no longer does. */
  watch(listener: LockListener): void
  /** Notes that a statement has written, so nobody else holds the lock. */
  free(): void
  /**
   * Runs a statement that failed with `error` again, for up to a second. Throws any error that is not about the lock,
   * and a `DatabaseLocked` if the lock does not become free.
   */
  again<T>(error: unknown, statement: () => T | Promise<T>): Promise<T>
}

/**
 * Gets the time since which another program has held the lock, and the time at which it released the lock; undefined
 * while it holds the lock.
 */
type LockListener = (since: number, until: number | undefined) => void

export function createWriterLock(
  now: () => number = Date.now,
  wait: (ms: number) => Promise<unknown> = sleep,
): WriterLock {
  let heldSince: number | undefined
  let tell: LockListener = () => {}
  return {
    get heldSince() {
      return heldSince
    },
    watch(listener) {
      tell = listener
    },
    free() {
      if (heldSince === undefined) return
      const since = heldSince
      heldSince = undefined
      tell(since, now())
    },
    async again(error, statement) {
      if (!isLocked(error)) throw error
      const since = heldSince ?? now()
      for (let waited = 0; heldSince === undefined && waited < patienceMs; waited += everyMs) {
        await wait(everyMs)
        try {
          return await statement()
        } catch (next) {
          if (!isLocked(next)) throw next
        }
      }
      if (heldSince === undefined) {
        heldSince = since
        tell(since, undefined)
      }
      throw new DatabaseLocked(heldSince, error)
    },
  }
}

/** The error for a write that could not be made because another program holds the lock of the database file. */
class DatabaseLocked extends Error {
  // With the code of node:sqlite and SQLITE_BUSY, this error counts as an error of SQLite.
  readonly code = 'ERR_SQLITE_ERROR'
  readonly errcode = sqliteBusy

  constructor(since: number, cause: unknown) {
    super(lockedWords(since), { cause })
  }
}

/** True for an error about the lock, and for an error that has such an error as its cause or among its errors. */
export function isAboutLock(error: unknown): boolean {
  if (error instanceof DatabaseLocked) return true
  if (error instanceof AggregateError && error.errors.some(isAboutLock)) return true
  return error instanceof Error && isAboutLock(error.cause)
}

/** The sentences that say that another program holds the lock, and what to do. */
export const lockedWords = (since: number): string =>
  `Another program holds the lock of svc.db, since ${new Date(since).toISOString().slice(0, 19)}Z. No other program may write into that file: end it, or let it finish (docs/operator.md, "Files").`

const sqliteBusy = 5

/**
 * True for SQLITE_BUSY. False for SQLITE_BUSY_SNAPSHOT: another program wrote since the transaction began, and then
 * trying again does not help.
 */
const isLocked = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  Number(error.errcode) % 256 === sqliteBusy &&
  error.errcode !== busySnapshot

const busySnapshot = 517
