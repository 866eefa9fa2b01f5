/** Actions as pages show them. */

import type { ActionPage, ActionRow, ActionState, Actions } from '@svc/api'
import { outcomeOf } from '../../fleet/commands/outcomes.ts'
import { logsOfCommands } from '../../fleet/logs/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ActionDbRow } from '../../platform/db/tables.ts'
import { byText } from '../../platform/order.ts'
import { countsOf, noCounts } from '../../updates/actions/counts.ts'
import { shortened } from './short.ts'

/** The actions of a workspace, newest first: ids sort by the time at which they were made. */
export async function actionsOf(
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
  const counts = await countsOf(db, rows)
  return {
    more: found.length > limit,
    rows: rows.map((row) => {
      const { values, ...action } = rowOf(row, counts.get(row.id) ?? noCounts())
      return { ...action, ...shortened(values) }
    }),
  }
}

/**
 * An action with the outcome for each agent. If `now` is given, also with what only the page shows: the logs that can be
 * read then, and the actions that retried this one.
 */
export async function actionPage(
  db: Db,
  workspace: { id: string },
  id: string,
  now?: number,
): Promise<ActionPage | undefined> {
  const row = await db
    .selectFrom('action')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirst()
  if (!row) return undefined
  const pressed = await db
    .selectFrom('action_agent')
    .leftJoin('command', 'command.id', 'command_id')
    .select([
      'name',
      'outcome',
      'action_agent.message',
      'command_id as commandId',
      'command.state as commandState',
      'command.message as commandMessage',
    ])
    .where('action_id', '=', id)
    .execute()
  const commands = row.type === 'log' ? pressed.flatMap(({ commandId }) => commandId ?? []) : []
  const logs = now === undefined ? new Map<string, string>() : await logsOfCommands(db, commands, now)
  const agents = pressed.map((each) => {
    const log = logs.get(each.commandId ?? '')
    return { name: each.name, ...outcomeOf(each), ...(log !== undefined && { log }) }
  })
  agents.sort((a, b) => byText(a.name, b.name))
  const counts = noCounts()
  for (const { state } of agents) counts[state]++
  const page = { ...rowOf(row, counts), agents }
  return now === undefined ? page : { ...page, retries: await retriesOf(db, row) }
}

async function retriesOf(db: Db, { id, workspace_id }: ActionDbRow): Promise<NonNullable<ActionPage['retries']>> {
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
