import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { columnsOfWishes, type Wishes } from './kept.ts'

/** Locks the agent's row until the transaction ends, like `lockAgent`, and returns all its columns. */
export function lockRow(trx: Db, { id }: { id: string }): Promise<AgentRow | undefined> {
  const row = trx.selectFrom('agent').selectAll().where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}

/** Writes the wishes of an agent whose row is locked, and returns the new row. */
export async function storeWishes(trx: Db, agent: AgentRow, wishes: Wishes): Promise<AgentRow> {
  const columns = columnsOfWishes(wishes)
  await trx.updateTable('agent').set(columns).where('id', '=', agent.id).execute()
  return { ...agent, ...columns }
}
