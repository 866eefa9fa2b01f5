/** Actions as pages show them. */
import { setImmediate } from 'node:timers/promises'
import type { ActionPage, ActionRow, ActionState, Actions } from '@svc/api'
import { actionOutcomeOf } from '../../fleet/commands/outcomes.ts'
import { logsOfCommands } from '../../fleet/logs/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ActionDbRow } from '../../platform/db/tables.ts'
import { sortInSlices } from '../../platform/http/slices.ts'
import { byText } from '../../platform/lists.ts'
import { countAgents, noActionCounts, readActionCounts } from '../../updates/actions/counts.ts'
import { workspaceTurns } from './fleet.ts'
import { shortValues } from './short.ts'

/** The actions of a workspace, newest first: ids sort by the time at which they were made. */
export async function actionsOfWorkspace(
  db: Db,
  workspace: { id: string },
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<Actions> {
  const found = await db
    .selectFrom('action')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .$if(before !== undefined, (q) => q.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  const counts = await readActionCounts(
    db,
    rows.map(({ id }) => id),
  )
  // Each action whose counts are not stored is counted in a separate turn, because it may have 10,000 agents.
  for (const { id } of rows) {
    if (counts.has(id)) continue
    await workspaceTurns.next(workspace.id)
    counts.set(id, await countAgents(db, id))
  }
  return {
    more: found.length > limit,
    rows: rows.map((row) => {
      const { values, ...action } = rowOf(row, counts.get(row.id) ?? noActionCounts())
      return { ...action, ...shortValues(values) }
    }),
  }
}

/**
 * The number of actions of a workspace that wait for the outcome of an agent. An action whose counts are not stored is
 * left out until the sweeper has counted its agents.
 */
export async function countUnfinishedActions(db: Db, workspace: { id: string }): Promise<number> {
  const perhaps = await db
    .selectFrom('action')
    .select('id')
    .where('workspace_id', '=', workspace.id)
    .where((eb) =>
      eb.or([
        eb('open_agents', '>', 0),
        eb.exists(eb.selectFrom('action_change').select('seq').whereRef('action_id', '=', 'action.id')),
      ]),
    )
    .execute()
  const counts = await readActionCounts(
    db,
    perhaps.map(({ id }) => id),
  )
  return [...counts.values()].filter(({ waiting, sent }) => waiting + sent > 0).length
}

/**
 * An action with the outcome for each agent, or only for the agents in `state`. If `now` is given, the answer has the
 * logs that can be read at that time and the actions that retried this one, too.
 */
export async function actionPage(
  db: Db,
  workspace: { id: string },
  id: string,
  { now, state: wanted }: { now?: number; state?: ActionState | undefined } = {},
): Promise<ActionPage | undefined> {
  const row = await db
    .selectFrom('action')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirst()
  if (!row) return undefined
  const counts = noActionCounts()
  const fitting: ActionPage['agents'] = []
  for await (const slice of agentsOf(db, id)) {
    const commands = row.type === 'log' ? slice.flatMap(({ commandId }) => commandId ?? []) : []
    const logs = now === undefined ? new Map<string, string>() : await logsOfCommands(db, commands, now)
    for (const each of slice) {
      const log = logs.get(each.commandId ?? '')
      const agent = { name: each.name, ...actionOutcomeOf(each), ...(log !== undefined && { log }) }
      counts[agent.state]++
      if (wanted === undefined || agent.state === wanted) fitting.push(agent)
    }
  }
  const agents = await workspaceTurns.run(
    workspace.id,
    sortInSlices(fitting, (a, b) => byText(a.name, b.name)),
  )
  const page = { ...rowOf(row, counts), agents }
  return now === undefined ? page : { ...page, retries: await readRetries(db, row) }
}

/** The number of agents that are read in one query. */
const agentsAtOnce = 500

/** The agents of an action with their commands, in pieces, so that reports are answered in between. */
async function* agentsOf(db: Db, id: string) {
  for (let after = ''; ; ) {
    const piece = await db
      .selectFrom('action_agent')
      .leftJoin('command', 'command.id', 'command_id')
      .select([
        'action_agent.agent_id as agentId',
        'name',
        'outcome',
        'action_agent.message',
        'command_id as commandId',
        'command.state as commandState',
        'command.message as commandMessage',
      ])
      .where('action_id', '=', id)
      .where('action_agent.agent_id', '>', after)
      .orderBy('action_agent.agent_id')
      .limit(agentsAtOnce)
      .execute()
    yield piece
    if (piece.length < agentsAtOnce) return
    after = piece.at(-1)?.agentId ?? ''
    await setImmediate()
  }
}

async function readRetries(db: Db, { id, workspace_id }: ActionDbRow): Promise<NonNullable<ActionPage['retries']>> {
  return await db
    .selectFrom('action')
    .select(['id', 'created_by_name as by', 'created_at as at'])
    .where('workspace_id', '=', workspace_id)
    .where('retry_of', '=', id)
    .orderBy('id')
    .execute()
}

const rowOf = (row: ActionDbRow, counts: Record<ActionState, number>): ActionRow => ({
  id: row.id,
  type: row.type,
  values: JSON.parse(row.payload) as ActionRow['values'],
  by: row.created_by_name,
  at: row.created_at,
  filter: row.filter,
  retryOf: row.retry_of,
  counts,
})
