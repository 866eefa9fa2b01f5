/**
 * Counts the agents of actions by their states. The counts of an action that is over are kept in its row, so that a
 * list of actions reads no row of their agents.
 */
import { type ActionState, actionStates } from '@svc/api'
import { sql } from 'kysely'
import { stateOf } from '../../fleet/commands/outcomes.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ActionDbRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'

type ActionCounts = Record<ActionState, number>
type CountedAction = Pick<ActionDbRow, 'id' | 'counts'>

/** The number of actions whose counts one round may compute: each may have 10,000 agents. */
const actionsAtOnce = 4

export const noCounts = (): ActionCounts =>
  Object.fromEntries(actionStates.map((state) => [state, 0])) as Record<ActionState, number>

/** The counts of these actions: the kept ones, and those of the rows of their agents where none are kept. */
export async function countsOf(db: Db, actions: readonly CountedAction[]): Promise<Map<string, ActionCounts>> {
  const all = new Map(
    actions.map(({ id, counts }) => [id, { ...noCounts(), ...(counts !== null && (JSON.parse(counts) as object)) }]),
  )
  const uncounted = actions.flatMap(({ id, counts }) => (counts === null ? id : []))
  if (uncounted.length === 0) return all
  const sums = await db
    .selectFrom('action_agent')
    .leftJoin('command', 'command.id', 'command_id')
    .select((eb) => [
      'action_id',
      'outcome',
      'command.state as commandState',
      eb.fn.min('command_id').as('commandId'),
      eb.fn.countAll<number>().as('count'),
    ])
    .where('action_id', 'in', uncounted)
    .groupBy(['action_id', 'outcome', 'command.state', sql`command_id is null`])
    .execute()
  for (const sum of sums) {
    const counts = all.get(sum.action_id)
    if (counts) counts[stateOf(sum)] += Number(sum.count)
  }
  return all
}

/**
 * Keeps the counts of the next few actions after the given id that are over. Returns the last id, or '' when all actions
 * without kept counts have had their turn.
 */
export async function keepCounts(db: Db, after: string): Promise<string> {
  const next = await db
    .selectFrom('action')
    .select(['id', 'state'])
    // The condition has the same words as the partial index.
    .where(sql<boolean>`counts is null`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(actionsAtOnce)
    .execute()
  for (const { id, state } of next) if (state !== 'queuing') await keepCountsOf(db, id)
  return next.length < actionsAtOnce ? '' : (next.at(-1)?.id ?? '')
}

const keepCountsOf = (db: Db, id: string): Promise<void> =>
  transaction(db, async (trx) => {
    if (await isOpen(trx, id)) return
    if (!(await holdFailed(trx, id))) return
    const counts = (await countsOf(trx, [{ id, counts: null }])).get(id) ?? noCounts()
    if (counts.waiting > 0 || counts.sent > 0) return
    await trx
      .updateTable('action')
      .set({ counts: JSON.stringify(counts) })
      .where('id', '=', id)
      .execute()
  })

/** True if an agent may still get or answer its command in time. It usually reads only one row of an open action. */
async function isOpen(trx: Db, id: string): Promise<boolean> {
  const open = await trx
    .selectFrom('action_agent')
    .innerJoin('command', 'command.id', 'command_id')
    .select('command.id')
    .where('action_id', '=', id)
    .where('due_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/**
 * Keeps late answers (D3) away until the transaction ends, so that the counts are emptied after they were kept, not
 * before. False if such an answer is being stored now; waiting for it could deadlock.
 */
async function holdFailed(trx: Db, id: string): Promise<boolean> {
  if (!isPostgres(trx)) return true
  const failed = () =>
    trx
      .selectFrom('command')
      .select('command.id')
      .where('state', '=', 'failed')
      .where('command.id', 'in', (eb) =>
        eb
          .selectFrom('action_agent')
          .select('command_id')
          .where('action_id', '=', id)
          .where('command_id', 'is not', null)
          .$castTo<{ command_id: string }>(),
      )
  const there = await failed().execute()
  const held = await failed().forShare().skipLocked().execute()
  return held.length === there.length
}
