/**
 * Remembers the names that agents had before, so that old links still lead to a renamed agent. A name that an agent has
 * now always means that agent.
 */
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { dayMs } from '../../platform/limits/units.ts'

/** The days for which an old name leads to its agent. */
const oldNameDays = 90
/** The maximum number of old names of an agent. Beyond that, the oldest are forgotten. */
export const maxOldNames = 20
const namesAtOnce = 500

/** Notes that an agent no longer has this name. Runs in the transaction that renames the agent. */
export async function keepOldName(
  trx: Db,
  { id, workspace_id, name }: Pick<AgentRow, 'id' | 'workspace_id' | 'name'>,
  now: number,
): Promise<void> {
  const row = { agent_id: id, renamed_at: now }
  await trx
    .insertInto('agent_old_name')
    .values({ workspace_id, name, ...row })
    .onConflict((oc) => oc.columns(['workspace_id', 'name']).doUpdateSet(row))
    .execute()
  const names = await trx
    .selectFrom('agent_old_name')
    .select('name')
    .where('agent_id', '=', id)
    .orderBy('renamed_at', 'desc')
    .execute()
  const surplusNames = names.slice(maxOldNames).map((old) => old.name)
  if (surplusNames.length > 0)
    await trx.deleteFrom('agent_old_name').where('agent_id', '=', id).where('name', 'in', surplusNames).execute()
}

/** Finds the agent that had this name in the last 90 days. */
export const findByOldName = (
  db: Db,
  workspace: { id: string },
  name: string,
  now: number,
): Promise<AgentRow | undefined> =>
  db
    .selectFrom('agent_old_name')
    .innerJoin('agent', 'agent.id', 'agent_old_name.agent_id')
    .selectAll('agent')
    .where('agent_old_name.workspace_id', '=', workspace.id)
    .where('agent_old_name.name', '=', name)
    .where('renamed_at', '>', now - oldNameDays * dayMs)
    .executeTakeFirst()

/** Erases the names that no longer lead to an agent, about 500 in each statement. */
export async function eraseOldNames(db: Db, now: number): Promise<void> {
  const last = now - oldNameDays * dayMs
  const old = db.selectFrom('agent_old_name').select('renamed_at').where('renamed_at', '<=', last)
  for (let until = Number.NEGATIVE_INFINITY; until < last; ) {
    const next = await old.orderBy('renamed_at').limit(1).offset(namesAtOnce).executeTakeFirst()
    until = next?.renamed_at ?? last
    await db.deleteFrom('agent_old_name').where('renamed_at', '<=', until).execute()
  }
}
