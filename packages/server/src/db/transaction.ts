/**
 * The one way to a transaction for pages, procedures and the sweeper. On PostgreSQL a transaction may lose against another
 * one (a deadlock, a serialisation failure): then nothing of it happened, and it is done again from its beginning.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'

/** So often one piece of work is begun. */
export const attempts = 5
/**
 * serialization_failure, deadlock_detected; and unique_violation: another one was first with a name that this one had just
 * seen to be free. Begun again it sees the name taken, and refuses as people can read it.
 */
const lost = new Set(['40001', '40P01', '23505'])

/** Whether PostgreSQL says that the transaction was undone because of another one. */
export const hasLost = (error: unknown): boolean =>
  lost.has(String((error as { code?: unknown } | undefined)?.code ?? ''))

/** Runs each piece of work in a transaction that a person's right to write opened (web/kit/acting.ts). */
export type Writer = <T>(work: (trx: Transaction<Tables>) => Promise<T>) => Promise<T>

/**
 * Runs `work` in a transaction: a new one, or the one that is given. It may run several times, so it must change nothing
 * but what goes through `trx`.
 */
export function transaction<T>(on: Db | Writer, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  if (typeof on === 'function') return on(work)
  if (on.isTransaction) return work(on as Transaction<Tables>)
  return untilWon(() => on.transaction().execute(work))
}

/** Does it again while it loses. A commit whose result is unknown is no loss: it may have happened. */
export async function untilWon<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !hasLost(error)) throw error
      await wait(attempt * 10 * Math.random())
    }
  }
}
