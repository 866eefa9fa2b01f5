/**
 * The only way for pages, operations and the sweeper to open a transaction. On PostgreSQL a transaction may lose
 * against another one (a deadlock, a serialization failure). A lost transaction had no effect, and is run again from
 * its start.
 */
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'

/** The maximum number of tries of one transaction. */
export const maxTries = 5
/**
 * PostgreSQL's codes serialization_failure, deadlock_detected and unique_violation. The last code means that another
 * transaction took a name that was free a moment ago. When the lost transaction runs again, it finds the name taken and
 * refuses with a readable message.
 */
const lost = new Set(['40001', '40P01', '23505'])

/** True if PostgreSQL rolled the transaction back because it lost against another one. */
export const hasLostRace = (error: unknown): boolean =>
  lost.has(String((error as { code?: unknown } | undefined)?.code ?? ''))

/** Runs work in a transaction that first checks the person's right to write (web/routing/acting.ts). */
export type RunInTransaction = <T>(work: (trx: Transaction<Tables>) => Promise<T>) => Promise<T>

/**
 * Runs `work` in a transaction: a new one, one that the given `RunInTransaction` opens, or the given transaction.
 * `work` may run several times, so it must change nothing except through `trx`.
 */
export function transaction<T>(on: Db | RunInTransaction, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  if (typeof on === 'function') return on(work)
  if (on.isTransaction) return work(on as Transaction<Tables>)
  return retryIfLost(() => on.transaction().execute(work))
}

/** Lets other work run between two transactions. If a transaction was given, it stays open, so this does nothing. */
export async function betweenTransactions(on: Db | RunInTransaction): Promise<void> {
  if (typeof on === 'function' || !on.isTransaction) await setImmediate()
}

/**
 * Runs `work` again if its transaction loses against another one, up to `maxTries` times. If the result of a commit is
 * unknown, `work` is not run again, since the commit may have succeeded.
 */
export async function retryIfLost<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxTries || !hasLostRace(error)) throw error
      await wait(attempt * 10 * Math.random())
    }
  }
}
