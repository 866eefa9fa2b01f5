/**
 * Withdraws wishes of a rollout that was paused, halted or ended, in short transactions: SQLite has one connection, so
 * reports would wait for a long transaction. If the service is killed in between, the sweeper continues.
 */
import type { RolloutState } from '@svc/api'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../people/audit/by.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { RolloutDbRow } from '../../platform/db/tables.ts'
import { betweenTransactions, type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { wishesIn } from '../wishes/kept.ts'
import { clearBlueprintWishInTransaction, clearRuntimeWishInTransaction } from '../wishes/store.ts'

/**
 * The states in which a rollout must have no wishes that were not offered. A rollout that waits or is done keeps such
 * wishes.
 */
const without: readonly RolloutState[] = ['paused', 'halted', 'cancelled']

/** The number of agents in one transaction. */
const agentsAtOnce = 100

interface Withdrawal {
  by: Actor
  now: number
  /** True to withdraw also the wishes that were offered but not carried out. */
  alsoOffered?: boolean
}

/**
 * Withdraws the wishes of a rollout that were not offered to an agent yet, with `alsoOffered` also those that were
 * offered but not carried out. It stops if the rollout runs again.
 */
export async function withdrawWishes(on: Db | RunInTransaction, rollout: RolloutDbRow, how: Withdrawal): Promise<void> {
  let last: string | undefined = ''
  while (true) {
    const after: string = last
    last = await transaction(on, (trx) => withdrawSome(trx, rollout, { ...how, after }))
    if (last === undefined) return
    await betweenTransactions(on)
  }
}

/** Withdraws the wishes of some agents, and returns the id of the last of them; undefined if none can follow. */
async function withdrawSome(
  trx: Db,
  { id, workspace_id, kind, version }: RolloutDbRow,
  { by, now, alsoOffered = false, after }: Withdrawal & { after: string },
): Promise<string | undefined> {
  const current = await lockRollout(trx, { id: workspace_id }, id)
  if (!current || !without.includes(current.state)) return undefined
  if (kind === 'runtime') await lockWorkspace(trx, workspace_id)
  const members = await trx
    .selectFrom('rollout_agent')
    .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
    .select(['agent.id', 'workspace_id', 'wishes'])
    .where('rollout_id', '=', id)
    .where('state', '=', 'wished')
    .where('rollout_agent.agent_id', '>', after)
    .orderBy('rollout_agent.agent_id')
    .limit(agentsAtOnce)
    .execute()
  for (const agent of members) {
    const wish = wishesIn(agent.wishes)[kind]
    if (wish?.version !== version || wish.rollout !== id || (wish.offeredAt !== undefined && !alsoOffered)) continue
    const context = { by, now, rollout: id, silent: true }
    if (kind === 'blueprint') await clearBlueprintWishInTransaction(trx, agent, context)
    else await clearRuntimeWishInTransaction(trx, agent, context)
    await trx
      .updateTable('rollout_agent')
      .set({ state: 'untouched', reason: null, wished_at: null, level_before: null, at: now })
      .where('rollout_id', '=', id)
      .where('agent_id', '=', agent.id)
      .execute()
  }
  return members.length < agentsAtOnce ? undefined : members.at(-1)?.id
}

/** Finds rollouts with wishes that were not withdrawn, because the service was killed or an error occurred. */
export const withWishesLeft = (db: Db): Promise<RolloutDbRow[]> =>
  db
    .selectFrom('rollout')
    .selectAll()
    .where('state', 'in', without)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('rollout_agent')
          .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
          .select('agent.id')
          .whereRef('rollout_id', '=', 'rollout.id')
          .where('rollout_agent.state', '=', 'wished')
          .where('wishes', 'is not', null)
          .where(inWish(db, 'rollout'), '=', eb.ref('rollout.id'))
          .where(inWish(db, 'offeredAt'), 'is', null),
      ),
    )
    .execute()

/** A field of an agent's wish for its blueprint or its runtime, whichever the rollout updates. */
const inWish = (db: Db, field: 'rollout' | 'offeredAt'): RawBuilder<string | null> =>
  isPostgres(db)
    ? sql`agent.wishes::json -> rollout.kind ->> ${sql.lit(field)}`
    : sql`agent.wishes -> rollout.kind ->> ${sql.lit(field)}`

export function lockRollout(trx: Db, workspace: { id: string }, id: string): Promise<RolloutDbRow | undefined> {
  const row = trx.selectFrom('rollout').selectAll().where('id', '=', id).where('workspace_id', '=', workspace.id)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}
