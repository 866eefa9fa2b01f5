/** Starts, retries and cancels actions. The runner sends their commands (runner.ts). */
import { type ActionState, type NewAction, retriedStates } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import { lockAgents } from '../../fleet/commands/many.ts'
import { actionStateOf } from '../../fleet/commands/outcomes.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ActionDbRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { countColumns, noActionCounts } from './counts.ts'

interface Workspace {
  id: string
}
type NamedAgent = { id: string; name: string }
type StartedAction = Pick<ActionDbRow, 'id' | 'workspace_id'>

/** Stores an action with its agents, which never change afterwards. The runner sends the commands later. */
export const sendAction = (
  { db, by, now }: ChangeContext,
  workspace: Workspace,
  wanted: NewAction,
): Promise<Verdict<StartedAction, 'agent_unknown'>> =>
  transaction(db, async (trx) => {
    const named = await agentsNamed(trx, workspace, wanted.agents)
    if (!named.ok) return named
    const { type, values = {}, filter = null } = wanted
    return done(
      await insert({ db: trx, by, now }, workspace, named.value, {
        type,
        payload: JSON.stringify(values),
        filter,
        retry_of: null,
      }),
    )
  })

/** Sends the command of an action again, as a new action, to the agents whose command expired or failed. */
export const retryAction = (
  { db, by, now }: ChangeContext,
  workspace: Workspace,
  id: string,
): Promise<Verdict<StartedAction, 'action_unknown' | 'action_empty'>> =>
  transaction(db, async (trx) => {
    const action = await find(trx, workspace, id)
    if (!action) return unknownAction
    const rest = await trx
      .selectFrom('action_agent')
      .innerJoin('agent', 'agent.id', 'action_agent.agent_id')
      .leftJoin('command', 'command.id', 'action_agent.command_id')
      .select([
        'agent.id',
        'agent.name',
        'action_agent.outcome',
        'command_id as commandId',
        'command.state as commandState',
      ])
      .where('action_id', '=', id)
      .execute()
    const retried = rest.filter((row) => retriedStates.includes(actionStateOf(row)))
    if (retried.length === 0)
      return refuse('action_empty', 'There is nothing to retry: no command expired or failed whose agent still exists.')
    const { type, payload, filter } = action
    return done(await insert({ db: trx, by, now }, workspace, retried, { type, payload, filter, retry_of: id }))
  })

/**
 * Cancels the action for agents that have no command yet, and its queued commands unless another action waits for them.
 * Returns the ids of the agents whose commands were cancelled, and the number of all cancelled agents.
 */
export const cancelAction = (
  { db, by, now }: ChangeContext,
  workspace: Workspace,
  id: string,
): Promise<Verdict<{ workspaceId: string; agents: string[]; cancelled: number }, 'action_unknown' | 'action_over'>> =>
  transaction(db, async (trx) => {
    const action = await find(trx, workspace, id)
    if (!action) return unknownAction
    const message = `Cancelled by ${by.name}.`
    const unsent = await endUnsent(trx, id, message)
    const queued = await trx
      .selectFrom('action_agent')
      .innerJoin('command', 'command.id', 'command_id')
      .select(['command.id', 'command.agent_id'])
      .where('action_id', '=', id)
      .where('shared', '=', 0)
      .where('command.state', '=', 'queued')
      .execute()
    const ids = queued.map((row) => row.agent_id)
    if (isPostgres(trx) && ids.length > 0) await lockAgents(trx, ids)
    const own = await trx
      .updateTable('command')
      .set({ state: 'cancelled', failed_at: now, message, due_at: null })
      .where('state', '=', 'queued')
      .where('id', 'in', (eb) =>
        eb.selectFrom('action_agent').select('command_id').where('action_id', '=', id).where('shared', '=', 0).$castTo<{
          command_id: string
        }>(),
      )
      .returning('agent_id')
      .execute()
    const cancelled = unsent + own.length
    if (cancelled === 0)
      return refuse('action_over', 'There is nothing to cancel: no command waits that only this action sent.')
    const details = { action: id, type: action.type, agents: cancelled }
    await audit(trx, {
      workspaceId: workspace.id,
      at: now,
      by,
      action: 'action.cancelled',
      subject: subjectOf(cancelled),
      details,
    })
    return done({ workspaceId: workspace.id, agents: own.map(({ agent_id }) => agent_id), cancelled })
  })

/** Ends an action for the agents that have no command yet. Returns their number. */
export async function endUnsent(trx: Db, id: string, message: string): Promise<number> {
  const rest = await trx
    .updateTable('action_agent')
    .set({ outcome: 'cancelled' satisfies ActionState, message })
    .where('action_id', '=', id)
    .where('command_id', 'is', null)
    .where('outcome', 'is', null)
    .executeTakeFirst()
  await trx
    .updateTable('action')
    .set({ state: 'cancelled' })
    .where('id', '=', id)
    .where('state', '=', 'queuing')
    .execute()
  return Number(rest.numUpdatedRows)
}

const unknownAction = refuse('action_unknown', 'There is no such action; actions are kept for 30 days.')

/** Finds an action and locks it, so that no slice of it is sent at the same time. */
function find(trx: Db, workspace: Workspace, id: string): Promise<ActionDbRow | undefined> {
  const row = trx.selectFrom('action').selectAll().where('id', '=', id).where('workspace_id', '=', workspace.id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}

/** Finds agents by their names. The refusal names the first that does not exist. */
export async function agentsNamed(
  db: Db,
  workspace: Workspace,
  wanted: readonly string[],
): Promise<Verdict<NamedAgent[], 'agent_unknown'>> {
  const there = await existingAgents(db, workspace, wanted)
  const known = new Set(there.map(({ name }) => name))
  const stranger = wanted.find((name) => !known.has(name))
  if (stranger === undefined) return done(there)
  return refuse('agent_unknown', `There is no agent ${shown(stranger)} in the workspace. Nothing was sent.`)
}

export const existingAgents = (db: Db, workspace: Workspace, names: readonly string[]): Promise<NamedAgent[]> =>
  db
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspace.id)
    .where('name', 'in', [...new Set(names)])
    .execute()

async function insert(
  { db: trx, by, now }: ChangeContext,
  workspace: Workspace,
  agents: readonly NamedAgent[],
  what: Pick<ActionDbRow, 'type' | 'payload' | 'filter' | 'retry_of'>,
): Promise<StartedAction> {
  const action: ActionDbRow = {
    id: newId(now),
    workspace_id: workspace.id,
    ...what,
    state: 'queuing',
    created_at: now,
    created_by: by.id,
    created_by_name: by.name,
    ...countColumns({ ...noActionCounts(), waiting: agents.length }),
  }
  await trx.insertInto('action').values(action).execute()
  // All agents are passed as a list, because one parameter for each value would take longer than inserting the rows.
  const named = isPostgres(trx)
    ? sql`unnest(${agents.map(({ id }) => id)}::text[], ${agents.map(({ name }) => name)}::text[]) as named(id, name)`
    : sql`(select value ->> 'id' as id, value ->> 'name' as name from json_each(${JSON.stringify(agents)}))`
  await sql`insert into action_agent (action_id, agent_id, name, shared)
    select cast(${action.id} as text), id, name, 0 from ${named}`.execute(trx)
  const [first] = agents
  await audit(trx, {
    workspaceId: workspace.id,
    at: now,
    by,
    action: 'action.sent',
    subject: agents.length === 1 && first ? `agent ${first.name}` : subjectOf(agents.length),
    details: { action: action.id, type: what.type, agents: agents.length },
  })
  return action
}

const subjectOf = (agents: number): string => (agents === 1 ? '1 agent' : `${agents} agents`)
