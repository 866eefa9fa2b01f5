/** Renames an agent in its open alerts, so that lists and messages have its present name. */
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'

type AgentName = Pick<AgentRow, 'id' | 'workspace_id' | 'name'>

/**
 * Open alerts get the new name of an agent. A change of their version makes an evaluation that read the old name judge
 * again.
 */
export async function renameInAlerts(trx: Db, { id, workspace_id, name }: AgentName, to: string): Promise<void> {
  const open = trx.updateTable('alert').where('scope', '=', workspace_id).where('ended_at', 'is', null)
  await open
    .set({ subject_name: to, version: (eb) => eb('version', '+', 1) })
    .where('subject_kind', '=', 'agent')
    .where('subject_id', '=', id)
    .execute()
  const [mass] = await trx
    .selectFrom('alert')
    .select(['id', 'agents'])
    .where('scope', '=', workspace_id)
    .where('rule', '=', 'silent')
    .where('subject_kind', '=', 'workspace')
    .where('ended_at', 'is', null)
    .execute()
  const list = mass?.agents == null ? undefined : (JSON.parse(mass.agents) as { names: string[] })
  if (!mass || !list?.names.includes(name)) return
  const agents = JSON.stringify({ ...list, names: list.names.map((one) => (one === name ? to : one)) })
  await open
    .set({ agents, version: (eb) => eb('version', '+', 1) })
    .where('id', '=', mass.id)
    .execute()
}
