import { isPostgres } from '../db/engine.ts'
import type { Db } from '../db/open.ts'

/**
 * Takes an agent's row for the length of the transaction, so that presses, reports and deletions of one agent happen one
 * after another also with several nodes. SQLite has one writer anyway.
 */
export function lockAgent(
  trx: Db,
  id: string,
): Promise<{ id: string; name: string; workspace_id: string } | undefined> {
  const row = trx.selectFrom('agent').select(['id', 'name', 'workspace_id']).where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}
