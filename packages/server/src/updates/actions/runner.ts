/**
 * Sends the commands of actions, some agents in each transaction, so that reports are answered in between. A node locks
 * the row of an action while it works on it. Agents whose rows have no command and no outcome are still to be handled,
 * so no command is lost or sent twice if a node is killed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { ActionState } from '@svc/api'
import { readCommand } from '@svc/protocol'
import { lockAgents, queueForAgents } from '../../fleet/commands/many.ts'
import { keepOutcomes } from '../../fleet/commands/outcomes.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { roleToAct } from '../../people/workspaces/store.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Live } from '../../platform/base.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ActionAgentDbRow, ActionDbRow } from '../../platform/db/tables.ts'
import { betweenTransactions, transaction } from '../../platform/db/transaction.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import { wishesIn } from '../wishes/kept.ts'
import { liftHold } from '../wishes/store.ts'
import { endUnsent } from './store.ts'

/** The maximum number of agents in one transaction. */
export const actionAgentsAtOnce = 250

/** The milliseconds to wait for another node that works on the same action. */
const busyMs = 50

interface SliceResult {
  is: 'slice' | 'over'
  workspaceId: string
  /** The ids of the agents that got a command; for the action `lift`, of all agents of the slice. */
  agents: string[]
  /** True for the action `delete`, which may have deleted agents of the slice. */
  deleted: boolean
}

interface ActionParts {
  store: { db: Db }
  live: Live
  now: () => number
}

/**
 * Sends the commands of an action until all are sent, or until `max` slices were sent. `busy` means that another node
 * is already sending them.
 */
export async function runAction(
  { store, live, now }: ActionParts,
  id: string,
  max = Infinity,
): Promise<'over' | 'busy' | 'more'> {
  for (let slices = 0; slices < max; slices++) {
    if (slices > 0) await betweenTransactions(store.db)
    const slice = await sendSlice(store.db, id, now())
    if (slice === 'busy') return 'busy'
    if (slice === undefined) return 'over'
    for (const agent of slice.agents) live.changed(slice.workspaceId, agent)
    if (slice.deleted) live.listChanged(slice.workspaceId)
    if (slice.is === 'over') return 'over'
  }
  return 'more'
}

/** Sends the commands of an action until all are sent. Waits while another node is sending them. */
export async function finishAction(needs: ActionParts, id: string): Promise<void> {
  while ((await runAction(needs, id)) === 'busy') await wait(busyMs)
}

/** Continues every action whose commands are not all sent, such as those of a killed node. */
export async function runActions(needs: ActionParts, attempt: Attempt = attemptOrThrow): Promise<void> {
  const left = await needs.store.db
    .selectFrom('action')
    .select('id')
    .where('state', '=', 'queuing')
    .orderBy('id')
    .execute()
  for (const { id } of left) await attempt(id, () => runAction(needs, id))
}

/**
 * Sends the command of an action to its next agents. Resolves to `busy` if another node is sending it, and to undefined
 * if the action has no unsent commands.
 */
export const sendSlice = (db: Db, id: string, now: number): Promise<SliceResult | 'busy' | undefined> =>
  transaction(db, async (trx) => {
    const found = await trx.selectFrom('action').selectAll().where('id', '=', id).executeTakeFirst()
    if (found?.state !== 'queuing') return undefined
    // All transactions lock the membership before the action, so that they cannot deadlock.
    const mayAct = await isStillAdmin(trx, found)
    const action = await tryLock(trx, id)
    if (!action) return 'busy'
    if (action.state !== 'queuing') return undefined
    const slice = { workspaceId: action.workspace_id, agents: [], deleted: false }
    if (!mayAct) {
      await endUnsent(trx, id, `${action.created_by_name} is no longer an admin of the workspace.`)
      return { ...slice, is: 'over' }
    }
    const rows = await nextRows(trx, id)
    if (rows.length > 0) {
      const ids = rows.map(({ agent_id }) => agent_id)
      const by = { id: action.created_by, name: action.created_by_name }
      const ends = await press({ db: trx, by, now }, action, ids)
      await keep(trx, rows, ends)
      const affected = ids.filter((agent) => ends.get(agent)?.command_id !== undefined || action.type === 'lift')
      if (rows.length === actionAgentsAtOnce)
        return { ...slice, is: 'slice', agents: affected, deleted: action.type === 'delete' }
      await trx.updateTable('action').set({ state: 'queued' }).where('id', '=', id).execute()
      return { ...slice, is: 'over', agents: affected, deleted: action.type === 'delete' }
    }
    await trx.updateTable('action').set({ state: 'queued' }).where('id', '=', id).execute()
    return { ...slice, is: 'over' }
  })

/**
 * True if the person who started the action still has the right to start it (I33). On PostgreSQL the membership cannot
 * change until the transaction ends.
 */
async function isStillAdmin(trx: Db, { workspace_id, created_by }: ActionDbRow): Promise<boolean> {
  if (created_by === null) return true
  if (isPostgres(trx))
    await trx
      .selectFrom('member')
      .select('id')
      .where('workspaceId', '=', workspace_id)
      .where('userId', '=', created_by)
      .forShare()
      .execute()
  return (await roleToAct(trx, workspace_id, created_by)) === 'admin'
}

/** Locks the action for this node; undefined if another node has locked it. */
const tryLock = (trx: Db, id: string): Promise<ActionDbRow | undefined> => {
  const row = trx.selectFrom('action').selectAll().where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate().skipLocked() : row).executeTakeFirst()
}

const nextRows = (trx: Db, id: string): Promise<ActionAgentDbRow[]> =>
  trx
    .selectFrom('action_agent')
    .selectAll()
    .where('action_id', '=', id)
    .where('command_id', 'is', null)
    .where('outcome', 'is', null)
    .orderBy('agent_id')
    .limit(actionAgentsAtOnce)
    .execute()

type AgentEnd = Partial<Pick<ActionAgentDbRow, 'command_id' | 'outcome' | 'message' | 'shared'>>
const endAs = (outcome: ActionState, message: string | null = null): AgentEnd => ({ outcome, message })

/** Carries the action out for these agents, which are sorted by id. Returns the result for each. */
function press(
  ctx: ChangeContext,
  { type, payload, workspace_id }: ActionDbRow,
  ids: string[],
): Promise<Map<string, AgentEnd>> {
  if (type === 'lift') return lift(ctx, workspace_id, ids)
  if (type === 'delete') return deleteUnreported(ctx, ids)
  return send(ctx, { type, payload: JSON.parse(payload) }, ids)
}

async function send(ctx: ChangeContext, stored: unknown, ids: string[]): Promise<Map<string, AgentEnd>> {
  const body = readCommand(stored)
  if (!body.ok) return new Map(ids.map((id) => [id, endAs('skipped', body.message)]))
  const results = await queueForAgents(ctx, ids, body.value)
  return new Map(
    [...results].map(([id, each]) => [
      id,
      'command' in each ? { command_id: each.command, shared: each.shared ? 1 : 0 } : endAs('skipped', each.skipped),
    ]),
  )
}

async function lift(ctx: ChangeContext, workspaceId: string, ids: string[]): Promise<Map<string, AgentEnd>> {
  const ends = new Map(ids.map((id) => [id, endAs('skipped', unknownAgent.message)]))
  const there = await lockAgents(ctx.db, ids)
  for (const [id, why] of await liftMisfits(ctx.db, there)) {
    if (why === undefined) await liftHold(ctx, { id, workspace_id: workspaceId }, { silent: true })
    ends.set(id, why === undefined ? endAs('applied') : endAs('skipped', why))
  }
  return ends
}

async function deleteUnreported({ db: trx }: ChangeContext, ids: string[]): Promise<Map<string, AgentEnd>> {
  const ends = new Map(ids.map((id) => [id, endAs('skipped', unknownAgent.message)]))
  const there = await lockAgents(trx, ids)
  const misfits = await deleteMisfits(trx, there)
  const going = there.filter((id) => misfits.get(id) === undefined)
  await keepOutcomes(trx, going)
  if (going.length > 0) await trx.deleteFrom('agent').where('id', 'in', going).execute()
  for (const [id, why] of misfits) ends.set(id, why === undefined ? endAs('applied') : endAs('skipped', why))
  return ends
}

/** For each agent the reason why its hold on a runtime version cannot be lifted; undefined if it can. */
export async function liftMisfits(db: Db, ids: readonly string[]): Promise<Map<string, string | undefined>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('agent').select(['id', 'wishes']).where('id', 'in', ids).execute()
  return new Map(
    rows.map(({ id, wishes }) => [
      id,
      wishesIn(wishes).runtimeHold ? undefined : 'The agent holds no version of the runtime.',
    ]),
  )
}

/** For each agent the reason why an action does not delete it; undefined if it does. */
export async function deleteMisfits(db: Db, ids: readonly string[]): Promise<Map<string, string | undefined>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('agent_report').select('agent_id').where('agent_id', 'in', ids).execute()
  const reported = new Set(rows.map(({ agent_id }) => agent_id))
  return new Map(
    ids.map((id) => [id, reported.has(id) ? 'The agent has reported. Delete it on its own page.' : undefined]),
  )
}

async function keep(trx: Db, rows: readonly ActionAgentDbRow[], ends: ReadonlyMap<string, AgentEnd>): Promise<void> {
  await trx
    .insertInto('action_agent')
    .values(rows.map((row) => ({ ...row, ...ends.get(row.agent_id) })))
    .onConflict((oc) =>
      oc.columns(['action_id', 'agent_id']).doUpdateSet((eb) => ({
        command_id: eb.ref('excluded.command_id'),
        outcome: eb.ref('excluded.outcome'),
        message: eb.ref('excluded.message'),
        shared: eb.ref('excluded.shared'),
      })),
    )
    .execute()
}
