import type { MachineChange } from '@svc/api'
import type { SettingValue } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'

/** The changes that were made on an agent's machine and not by a command of the service, newest first. */
export async function machineChangesOf(db: Db, agent: { id: string }, limit: number): Promise<MachineChange[]> {
  const rows = await db
    .selectFrom('machine_change')
    .select(['at', 'kind', 'key', 'before', 'after'])
    .where('agent_id', '=', agent.id)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ before, after, ...change }) => ({
    ...change,
    before: JSON.parse(before) as SettingValue,
    after: JSON.parse(after) as SettingValue,
  }))
}
