/**
 * The lease for evaluating alerts, stored as one row: only the node that holds it evaluates. If that node has not
 * renewed it for 30 s, another node takes it.
 */
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'

/** The milliseconds after which a lease that was not renewed is free. */
export const evaluationLeaseMs = 30_000

/**
 * Takes or renews the lease; false if another node holds it. If the lease ends further in the future than any lease
 * can, the clock was set back, so the lease counts as free.
 */
export async function takeLease(db: Db, node: string, now: number): Promise<boolean> {
  const taken = { holder: node, until_at: now + evaluationLeaseMs }
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
            eb.not(isAheadSql('alert_lease.until_at', now, evaluationLeaseMs)),
          ]),
        ),
    )
    .returning('holder')
    .executeTakeFirst()
  return row !== undefined
}

/** Gives the lease up when the node stops cleanly, so that another node can take it at once. */
export async function returnLease(db: Db, node: string): Promise<void> {
  await db.updateTable('alert_lease').set({ until_at: 0 }).where('id', '=', 1).where('holder', '=', node).execute()
}
