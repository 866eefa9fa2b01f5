import type { Verdict } from '@svc/protocol'
import type { Transaction } from 'kysely'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'
import { type RunInTransaction, transaction } from './transaction.ts'

/** The error that carries a refusal out of a transaction, and so rolls the transaction back. */
class Undo extends Error {
  readonly verdict: Verdict<never>
  constructor(verdict: Verdict<never>) {
    super('undone')
    this.verdict = verdict
  }
}

/**
 * Runs `work` in one transaction, which is rolled back if `work` refuses. If `db` is already a transaction, the caller
 * must roll it back after a refusal. `work` must change nothing except through `trx`.
 */
export async function decideInTransaction<
  V extends { ok: true; value: unknown } | { ok: false; code: string; message: string },
>(db: Db | RunInTransaction, work: (trx: Transaction<Tables>) => Promise<V>): Promise<V> {
  try {
    return await transaction(db, async (trx) => {
      const verdict = await work(trx)
      if (!verdict.ok) throw new Undo(verdict)
      return verdict
    })
  } catch (error) {
    if (error instanceof Undo) return error.verdict as V
    throw error
  }
}
