import { isPostgres } from '../db/engine.ts'
import type { Db } from '../db/open.ts'

/**
 * Locks a workspace until the transaction ends, before any agent's lock, so that no two changes take its last admin,
 * its tenth bot or its last trial place. Transactions that only refer to the workspace continue meanwhile. SQLite has
 * only one writer anyway.
 */
export async function lockWorkspace(trx: Db, id: string): Promise<void> {
  if (isPostgres(trx)) await trx.selectFrom('workspace').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}
