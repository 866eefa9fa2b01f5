import { isPostgres } from '../db/engine.ts'
import type { Db } from '../db/open.ts'

/**
 * Takes a workspace for the length of the transaction, before any agent's lock: no two changes take its last admin, its tenth bot or its
 * last place for a trial. What only refers to the workspace goes on meanwhile. SQLite has one writer anyway.
 */
export async function lockWorkspace(trx: Db, id: string): Promise<void> {
  if (isPostgres(trx)) await trx.selectFrom('workspace').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}
