/**
 * Counts the agents of actions by their states. The counts are kept in the row of the action. Triggers write each
 * change of a state to `action_change`, and the rounds of the sweeper add these changes to the counts. The counts and
 * the changes together are always exact, so a list of actions need not read the rows of their agents.
 */
import { type ActionState, actionStates } from '@svc/api'
import { type QueryCreator, sql } from 'kysely'
import { actionStateOf } from '../../fleet/commands/outcomes.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ActionChangeTable } from '../../platform/db/tables/actions.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { betweenTransactions, transaction } from '../../platform/db/transaction.ts'

type ActionCounts = Record<ActionState, number>

/** The number of changes that one transaction adds to the counts. */
const changesAtOnce = 1000
/** The maximum number of these transactions in one round of the sweeper. */
const stepsAtOnce = 30
/** The number of actions without counts that one round counts: each may have 10,000 agents. */
const actionsAtOnce = 4

export const noActionCounts = (): ActionCounts =>
  Object.fromEntries(actionStates.map((state) => [state, 0])) as Record<ActionState, number>

/**
 * The present counts of actions. An action that a node of an earlier version started is left out until the sweeper has
 * counted its agents. Such a node may write `counts`, so only `open_agents` shows that an action was counted.
 */
export async function readActionCounts(db: Db, ids: readonly string[]): Promise<Map<string, ActionCounts>> {
  if (ids.length === 0) return new Map()
  // One statement reads the kept counts and the changes, since the sweeper may add changes to the counts at any time.
  const rows = await db
    .selectFrom('action')
    .leftJoin('action_change as change', 'change.action_id', 'action.id')
    .select((eb) => ['action.id', 'counts', 'was', 'became', eb.fn.countAll<number>().as('agents')])
    .where('action.id', 'in', ids)
    .where('open_agents', 'is not', null)
    .groupBy(['action.id', 'counts', 'was', 'became'])
    .execute()
  const all = new Map<string, ActionCounts>()
  for (const { id, counts: kept, was, became, agents } of rows) {
    const counts = all.get(id) ?? countsIn(kept)
    if (was !== null && became !== null) move(counts, { was, became }, Number(agents))
    all.set(id, counts)
  }
  return all
}

/** The columns of an action that hold the counts. */
export function countColumns(counts: ActionCounts): { counts: string; open_agents: number } {
  return { counts: JSON.stringify(counts), open_agents: counts.waiting + counts.sent }
}

const countsIn = (kept: string | null): ActionCounts => ({
  ...noActionCounts(),
  ...(kept !== null && (JSON.parse(kept) as Partial<ActionCounts>)),
})

function move(counts: ActionCounts, { was, became }: Pick<ActionChangeTable, 'was' | 'became'>, agents = 1): void {
  counts[was] -= agents
  counts[became] += agents
}

/** Counts the agents of an action from their rows. */
export async function countAgents(db: QueryCreator<Tables>, id: string): Promise<ActionCounts> {
  const sums = await db
    .selectFrom('action_agent')
    .leftJoin('command', 'command.id', 'command_id')
    .select((eb) => [
      'outcome',
      'command.state as commandState',
      eb.fn.min('command_id').as('commandId'),
      eb.fn.countAll<number>().as('count'),
    ])
    .where('action_id', '=', id)
    .groupBy(['outcome', 'command.state', sql`command_id is null`])
    .execute()
  const counts = noActionCounts()
  for (const sum of sums) counts[actionStateOf(sum)] += Number(sum.count)
  return counts
}

/** Adds the changes of actions to their counts, oldest first, and counts some actions that have no counts. */
export async function addChanges(db: Db, attempt: Attempt = attemptOrThrow): Promise<void> {
  const failed: string[] = []
  const add = async (id: string) => {
    const isDone = await attempt(id, () => transaction(db, (trx) => addSome(trx, id)))
    if (!isDone) failed.push(id)
    await betweenTransactions(db)
    return isDone
  }
  for (let step = 0; step < stepsAtOnce; ) {
    const oldest = db
      .selectFrom('action_change')
      .select('action_id')
      .$if(failed.length > 0, (query) => query.where('action_id', 'not in', failed))
      .orderBy('seq')
      .limit(changesAtOnce)
    const changed = await db.selectFrom(oldest.as('oldest')).select('action_id').distinct().execute()
    if (changed.length === 0) break
    for (const { action_id } of changed.slice(0, stepsAtOnce - step)) {
      await add(action_id)
      step++
    }
  }
  for (let step = 0, counted = 0; step < stepsAtOnce && counted < actionsAtOnce; step++) {
    const uncounted = await db
      .selectFrom('action')
      .select('id')
      // The condition is written exactly as in the partial index, because the database uses the index only then.
      .where(sql<boolean>`open_agents is null`)
      .$if(failed.length > 0, (query) => query.where('id', 'not in', failed))
      .limit(1)
      .executeTakeFirst()
    if (!uncounted) break
    if (await add(uncounted.id)) counted++
  }
}

/**
 * Adds the oldest changes of an action to its counts, or counts its agents if it has no counts. Does nothing if another
 * transaction has locked the action.
 */
async function addSome(trx: Db, id: string): Promise<void> {
  const row = trx.selectFrom('action').select(['counts', 'open_agents']).where('id', '=', id)
  const action = await (isPostgres(trx) ? row.forUpdate().skipLocked() : row).executeTakeFirst()
  if (!action) {
    const isThere = await row.executeTakeFirst()
    if (!isThere) await trx.deleteFrom('action_change').where('action_id', '=', id).execute()
    return
  }
  const isCounted = action.open_agents !== null
  const counts = isCounted ? await withOldest(trx, id, countsIn(action.counts)) : await countAgain(trx, id)
  await trx.updateTable('action').set(countColumns(counts)).where('id', '=', id).execute()
}

/** Adds the oldest changes of an action to these counts, and removes them. */
async function withOldest(trx: Db, id: string, counts: ActionCounts): Promise<ActionCounts> {
  const oldest = trx.selectFrom('action_change').select('seq').where('action_id', '=', id).orderBy('seq')
  const changes = await trx
    .deleteFrom('action_change')
    .where('seq', 'in', oldest.limit(changesAtOnce))
    .returning(['was', 'became'])
    .execute()
  for (const change of changes) move(counts, change)
  return counts
}

/**
 * Counts the agents of an action from their rows, and deletes the changes that this count includes. On PostgreSQL one
 * statement does both, so that both see the same transactions.
 */
async function countAgain(trx: Db, id: string): Promise<ActionCounts> {
  if (isPostgres(trx))
    return countAgents(
      trx.with('forgotten', (q) => q.deleteFrom('action_change').where('action_id', '=', id).returning('seq')),
      id,
    )
  await trx.deleteFrom('action_change').where('action_id', '=', id).execute()
  return countAgents(trx, id)
}
