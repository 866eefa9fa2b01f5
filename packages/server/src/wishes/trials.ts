/**
 * How many runtimes of a workspace a rollout has on trial at once, so that few are rolled back when the service goes away in
 * the middle. A rollout's wish takes a place when one is free; the others wait, and the sweeper gives them places as trials
 * end. A press waits for none (2.7), but its trial takes a place away from rollouts.
 */
import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { transaction } from '../db/transaction.ts'
import { lockWorkspace } from '../workspaces/lock.ts'
import { maxTrialMs } from './judge.ts'
import { wishesIn } from './kept.ts'
import { keep, lockRow } from './row.ts'

/** Five, or a tenth of the workspace's agents if that is more. */
const maxTrials = (agents: number): number => Math.max(5, Math.ceil(agents / 10))

/** An agent that does not fetch what it was granted gives the place to one that waits. */
const unclaimedMs = 2 * 60_000

/** Free places of a workspace that is locked; below zero where presses take more. */
export interface Places {
  free: number
}
export async function placesOf(trx: Db, workspaceId: string, now: number): Promise<Places> {
  const { most, busy } = await trialsOf(trx, workspaceId, now)
  return { free: most - busy }
}

/** Whether one more wish of a rollout may go out now. */
export const takePlace = (places: Places): boolean => places.free-- > 0

/** The places of a workspace, and how many are taken: by wishes that were granted and that no report has ended yet. */
export async function trialsOf(db: Db, workspaceId: string, now: number): Promise<{ most: number; busy: number }> {
  const { rows } = await sql<{ agents: number; busy: number }>`
    select (select count(*) from agent where workspace_id = ${workspaceId}) as agents,
      (select count(*) from agent where workspace_id = ${workspaceId} and runtime_wished is not null
        and runtime_granted_at > ${now - maxTrialMs}) as busy`.execute(db)
  return { most: maxTrials(Number(rows[0]?.agents ?? 0)), busy: Number(rows[0]?.busy ?? 0) }
}

/** Gives free places to wishes that wait. Gives the agents of which something changed. */
export async function grantWaiting(db: Db, now: number): Promise<{ id: string; workspaceId: string }[]> {
  const waiting = await db
    .selectFrom('agent')
    .select('workspace_id')
    .distinct()
    .where('runtime_wished', 'is not', null)
    .where('runtime_granted_at', 'is', null)
    .execute()
  const granted: { id: string; workspaceId: string }[] = []
  for (const { workspace_id: workspaceId } of waiting) {
    for (const id of await transaction(db, (trx) => grantWithin(trx, workspaceId, now)))
      granted.push({ id, workspaceId })
  }
  return granted
}

async function grantWithin(trx: Db, workspaceId: string, now: number): Promise<string[]> {
  await lockWorkspace(trx, workspaceId)
  const { most, busy } = await trialsOf(trx, workspaceId, now)
  const freed = busy < most ? 0 : await takeBackUnclaimed(trx, workspaceId, now)
  const candidates = await wishesOf(trx, workspaceId)
    .where('runtime_granted_at', 'is', null)
    .where('received_at', '>', now - unclaimedMs)
    .orderBy('agent.id')
    .limit(Math.max(0, most - busy + freed))
    .execute()
  const granted: string[] = []
  for (const { id } of candidates) {
    const agent = await lockRow(trx, { id })
    const wishes = wishesIn(agent?.wishes ?? null)
    if (!agent || !wishes.runtime || wishes.runtime.grantedAt !== undefined) continue
    wishes.runtime.grantedAt = now
    await keep(trx, agent, wishes)
    granted.push(id)
  }
  return granted
}

/** Places of agents that were silent since they got them, when others wait. */
async function takeBackUnclaimed(trx: Db, workspaceId: string, now: number): Promise<number> {
  const silent = await wishesOf(trx, workspaceId)
    .where('runtime_granted_at', '<', now - unclaimedMs)
    .where((eb) => eb.or([eb('received_at', 'is', null), eb('received_at', '<', now - unclaimedMs)]))
    .orderBy('agent.id')
    .limit(50)
    .execute()
  let freed = 0
  for (const { id } of silent) {
    const agent = await lockRow(trx, { id })
    const wishes = wishesIn(agent?.wishes ?? null)
    if (!agent || !wishes.runtime || wishes.runtime.offeredAt !== undefined) continue
    delete wishes.runtime.grantedAt
    await keep(trx, agent, wishes)
    freed++
  }
  return freed
}

const wishesOf = (trx: Db, workspaceId: string) =>
  trx
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select('agent.id')
    .where('workspace_id', '=', workspaceId)
    .where('runtime_wished', 'is not', null)
