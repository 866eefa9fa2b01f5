import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'

/**
 * Locks an agent's row until the transaction ends, so that commands, reports and the deletion of one agent run one
 * after another even with several nodes. SQLite needs no lock, since it has one writer.
 */
export function lockAgent(
  trx: Db,
  id: string,
): Promise<{ id: string; name: string; workspace_id: string } | undefined> {
  const row = trx.selectFrom('agent').select(['id', 'name', 'workspace_id']).where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}
