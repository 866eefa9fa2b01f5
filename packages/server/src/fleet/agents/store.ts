/**
 * Creates, renames and deletes agents, and renews their tokens, when people ask for it. What agents report is handled
 * in reports/.
 */
import { changedTags } from '@svc/api/filter'
import { isAgentName, limits, shown, type Verdict } from '@svc/protocol'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { checkRoomFor } from '../../people/workspaces/limits.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { refuse, unknownAgent } from '../../platform/verdict.ts'
import { lockAgent } from '../commands/lock.ts'
import { keepOutcomes } from '../commands/outcomes.ts'
import { keepUsageOfDeleted } from '../reports/usage-deleted.ts'
import { keepOldName } from './old-names.ts'
import { tagNewAgent } from './tags.ts'

type AgentRefusal = 'agent_name_invalid' | 'agent_name_taken' | 'agent_unknown' | 'agents_too_many'

/** Creates an agent and returns its token, which is never shown again (5, rule 1). */
export function createAgent(
  { db, by, now }: ChangeContext,
  workspace: { id: string },
  name: string,
  tags: readonly string[] = [],
): Promise<Verdict<{ agent: AgentRow; token: string }, AgentRefusal>> {
  return transaction(db, async (trx) => {
    const wrong = wrongName(name)
    if (wrong) return wrong
    const room = await checkRoomFor(trx, workspace, { kind: 'agents' }, now)
    if (!room.ok) return room
    const token = newToken('agent')
    const agent = await trx
      .insertInto('agent')
      .values({
        id: newId(now),
        workspace_id: workspace.id,
        name,
        token_hash: hashToken(token),
        created_at: now,
        created_by: by.name,
        blueprint: null,
      })
      .onConflict((oc) => oc.columns(['workspace_id', 'name']).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!agent) return nameTaken(name)
    const given = changedTags([], { add: tags })
    await tagNewAgent(trx, agent, given)
    await audit(trx, {
      ...note(agent, by, now, 'agent.created'),
      ...(given.length > 0 && { details: { tags: given } }),
    })
    return { ok: true, value: { agent, token } }
  })
}

/**
 * Issues a new token for an agent. The old one is refused from the commit on, also for reports in progress (D22, I7).
 */
export function rotateToken(
  { db, by, now }: ChangeContext,
  { id }: { id: string },
): Promise<Verdict<{ agent: AgentRow; token: string }, AgentRefusal>> {
  return transaction(db, async (trx) => {
    const token = newToken('agent')
    await lockAgent(trx, id)
    const agent = await trx
      .updateTable('agent')
      .set({ token_hash: hashToken(token) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (!agent) return unknownAgent
    await audit(trx, note(agent, by, now, 'agent.token_rotated'))
    return { ok: true, value: { agent, token } }
  })
}

export function renameAgent(
  { db, by, now }: ChangeContext,
  { id }: { id: string },
  name: string,
): Promise<Verdict<AgentRow, AgentRefusal>> {
  return transaction(db, async (trx) => {
    const wrong = wrongName(name)
    if (wrong) return wrong
    const before = await lockAgent(trx, id)
    if (!before) return unknownAgent
    const other = await findAgent(trx, { id: before.workspace_id }, name)
    if (other && other.id !== id) return nameTaken(name)
    const agent = await trx.updateTable('agent').set({ name }).where('id', '=', id).returningAll().executeTakeFirst()
    if (!agent) return unknownAgent
    if (before.name !== name) {
      await keepOldName(trx, before, now)
      await renameInAlerts(trx, before, name)
      await audit(trx, { ...note(agent, by, now, 'agent.renamed'), details: { from: before.name } })
    }
    return { ok: true, value: agent }
  })
}

/**
 * Deletes an agent with its reports, runs, commands and logs, so its queued commands are never delivered (D56). Its
 * entries in the audit trail stay, and its daily sums stay in the costs of the workspace.
 */
export function deleteAgent(
  { db, by, now }: ChangeContext,
  { id }: { id: string },
): Promise<Verdict<AgentRow, AgentRefusal>> {
  return transaction(db, async (trx) => {
    await lockAgent(trx, id)
    const open = await trx
      .selectFrom('command')
      .select(['id', 'type'])
      .where('agent_id', '=', id)
      .where('due_at', 'is not', null)
      .execute()
    await keepOutcomes(trx, [id])
    await keepUsageOfDeleted(trx, id, now)
    const agent = await trx.deleteFrom('agent').where('id', '=', id).returningAll().executeTakeFirst()
    if (!agent) return unknownAgent
    await audit(trx, { ...note(agent, by, now, 'agent.deleted'), details: { cancelled: open.map(({ type }) => type) } })
    return { ok: true, value: agent }
  })
}

export const findAgent = (db: Db, workspace: { id: string }, name: string): Promise<AgentRow | undefined> =>
  db
    .selectFrom('agent')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .where('name', '=', name)
    .executeTakeFirst()

const note = (agent: AgentRow, by: Actor, at: number, action: string) => ({
  workspaceId: agent.workspace_id,
  at,
  by,
  action,
  subject: `agent ${agent.name}`,
})

const nameTaken = (name: string) =>
  refuse('agent_name_taken', `The workspace already has an agent ${shown(name)}. Choose another name.`)

function wrongName(name: string) {
  if (isAgentName(name)) return undefined
  return refuse(
    'agent_name_invalid',
    `An agent's name must have 1 to ${limits.agentName} lowercase letters, digits or single hyphens and be no device name such as "con": got ${shown(name)}.`,
  )
}

type AgentName = Pick<AgentRow, 'id' | 'workspace_id' | 'name' | 'created_at'>

/**
 * Renames an agent in its open alerts and in alerts about many agents. The version of these alerts changes, so an
 * evaluation that read the old name judges again.
 */
async function renameInAlerts(trx: Db, { id, workspace_id, name, created_at }: AgentName, to: string): Promise<void> {
  await trx
    .updateTable('alert')
    .set({ subject_name: to, version: (eb) => eb('version', '+', 1) })
    .where('scope', '=', workspace_id)
    .where('ended_at', 'is', null)
    .where('subject_kind', '=', 'agent')
    .where('subject_id', '=', id)
    .execute()
  const ofMany = await trx
    .selectFrom('alert')
    .select(['id', 'agents'])
    .where('scope', '=', workspace_id)
    .where('subject_kind', '=', 'workspace')
    .where('agents', 'like', `%"${name}"%`)
    // An ended alert that was opened before this agent was created is about another agent of that name.
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('opened_at', '>=', created_at)]))
    .execute()
  for (const { id, agents } of ofMany) {
    const list = JSON.parse(agents ?? '{}') as { names: string[] }
    const names = list.names.map((one) => (one === name ? to : one))
    await trx
      .updateTable('alert')
      .set({ agents: JSON.stringify({ ...list, names }), version: (eb) => eb('version', '+', 1) })
      .where('id', '=', id)
      .execute()
  }
}
