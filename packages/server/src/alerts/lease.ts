/** The lease of the evaluation, one row: one node evaluates, and another takes over when that one has not for 30 s. */
import type { Db } from '../db/open.ts'

export const leaseMs = 30_000

/** Takes or keeps the lease; false: another node has it. A clock that went back does not keep it for longer than a lease. */
export async function takeLease(db: Db, node: string, now: number): Promise<boolean> {
  const taken = { holder: node, until_at: now + leaseMs }
  const row = await db
    .insertInto('alert_lease')
    .values({ id: 1, ...taken, turned_at: null })
    .onConflict((oc) =>
      oc
        .column('id')
        .doUpdateSet(taken)
        .where((eb) =>
          eb.or([
            eb('alert_lease.holder', '=', node),
            eb('alert_lease.until_at', '<=', now),
            eb('alert_lease.until_at', '>', now + 2 * leaseMs),
          ]),
        ),
    )
    .returning('holder')
    .executeTakeFirst()
  return row !== undefined
}

/** Gives it back at an orderly end, so that another node need not wait. */
export async function returnLease(db: Db, node: string): Promise<void> {
  await db.updateTable('alert_lease').set({ until_at: 0 }).where('id', '=', 1).where('holder', '=', node).execute()
}
