import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'

const columns = ['id', 'name', 'workspace_id', 'created_at'] as const satisfies (keyof AgentRow)[]

/**
 * Locks an agent's row until the transaction ends, so that commands, reports and the deletion of one agent run one
 * after another even with several nodes. SQLite needs no lock, since it has one writer.
 */
export function lockAgent(trx: Db, id: string): Promise<Pick<AgentRow, (typeof columns)[number]> | undefined> {
  const row = trx.selectFrom('agent').select(columns).where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}
