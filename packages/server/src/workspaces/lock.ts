import { isPostgres } from '../db/engine.ts'
import type { Db } from '../db/open.ts'

/**
 * Locks a workspace until the transaction ends; it must come before any agent's lock. No two changes can then take its
 * last admin, its tenth bot or its last trial place. Rows that only refer to the workspace can still be written, and
 * SQLite needs no lock, having one writer.
 */
export async function lockWorkspace(trx: Db, id: string): Promise<void> {
  if (isPostgres(trx)) await trx.selectFrom('workspace').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}
