/** Commands after the database lost commits. */
import type { Db } from '../../platform/db/open.ts'

/**
 * Expires the queued commands: some of them may have been delivered in the time that is missing, and a command is
 * delivered at most once (D1).
 */
export async function expireAfterLoss(trx: Db, now: number): Promise<void> {
  const message = 'The database lost changes, so it is not known whether this command was delivered.'
  await trx
    .updateTable('command')
    .set({ state: 'expired', failed_at: now, due_at: null, message })
    .where('state', '=', 'queued')
    .where('due_at', 'is not', null)
    .execute()
}
