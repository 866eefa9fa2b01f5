/**
 * Limits the runtimes of a workspace that are on trial at once because of rollouts, so that few are rolled back if the
 * service goes down. A rollout's wish needs a trial slot; the sweeper gives slots to waiting wishes as trials end. A
 * wish of an admin needs no slot (2.7), but its trial counts too.
 */
import { sql } from 'kysely'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { maxTrialMs } from './judge.ts'
import { wishesIn } from './kept.ts'
import { lockRow, storeWishes } from './row.ts'

/** The number of trial slots of a workspace: a tenth of its agents, but at least five. */
const maxTrials = (agents: number): number => Math.max(5, Math.ceil(agents / 10))

/**
 * The milliseconds within which an agent must report after its wish got a slot. Otherwise another wish may get the
 * slot.
 */
const unclaimedMs = 2 * 60_000

/**
 * The number of free trial slots of a workspace, negative if the wishes of admins exceed the limit. It is only valid
 * while the caller has the workspace locked.
 */
export interface TrialSlots {
  free: number
}
/** Reads the number of free trial slots of a workspace. */
export async function readFreeTrials(trx: Db, workspaceId: string, now: number): Promise<TrialSlots> {
  const { max, busy } = await countTrials(trx, workspaceId, now)
  return { free: max - busy }
}

/** Takes a trial slot for one more runtime wish of a rollout; false when no slot is free. */
export const takeTrialSlot = (places: TrialSlots): boolean => places.free-- > 0

/**
 * The number of trial slots of a workspace, and how many of them are taken. A runtime wish takes a slot until the wish
 * ends or is withdrawn, but at most for `maxTrialMs` after the wish got the slot or was offered.
 */
export async function countTrials(db: Db, workspaceId: string, now: number): Promise<{ max: number; busy: number }> {
  const { rows } = await sql<{ agents: number; busy: number }>`
    select (select count(*) from agent where workspace_id = ${workspaceId}) as agents,
      (select count(*) from agent where workspace_id = ${workspaceId} and runtime_wished is not null
        and runtime_granted_at > ${now - maxTrialMs}) as busy`.execute(db)
  return { max: maxTrials(Number(rows[0]?.agents ?? 0)), busy: Number(rows[0]?.busy ?? 0) }
}

/** Gives free trial slots to runtime wishes of rollouts that wait for one. Returns the agents whose wishes changed. */
export async function grantWaiting(
  db: Db,
  now: number,
  attempt: Attempt = attemptOrThrow,
): Promise<{ id: string; workspaceId: string }[]> {
  const waiting = await db
    .selectFrom('agent')
    .select('workspace_id')
    .distinct()
    .where('runtime_wished', 'is not', null)
    .where('runtime_granted_at', 'is', null)
    .execute()
  const granted: { id: string; workspaceId: string }[] = []
  for (const { workspace_id: workspaceId } of waiting)
    await attempt(workspaceId, async () => {
      for (const id of await transaction(db, (trx) => grantInTransaction(trx, workspaceId, now)))
        granted.push({ id, workspaceId })
    })
  return granted
}

async function grantInTransaction(trx: Db, workspaceId: string, now: number): Promise<string[]> {
  await lockWorkspace(trx, workspaceId)
  const { max, busy } = await countTrials(trx, workspaceId, now)
  const freed = busy < max ? 0 : await takeBackUnclaimed(trx, workspaceId, now)
  const candidates = await wishesQuery(trx, workspaceId)
    .where('runtime_granted_at', 'is', null)
    .where('received_at', '>', now - unclaimedMs)
    .orderBy('agent.id')
    .limit(Math.max(0, max - busy + freed))
    .execute()
  const granted: string[] = []
  for (const { id } of candidates) {
    const agent = await lockRow(trx, { id })
    const wishes = wishesIn(agent?.wishes ?? null)
    if (!agent || !wishes.runtime || wishes.runtime.grantedAt !== undefined) continue
    wishes.runtime.grantedAt = now
    await storeWishes(trx, agent, wishes)
    granted.push(id)
  }
  return granted
}

/**
 * Takes trial slots back from agents that got them more than `unclaimedMs` ago, have not reported in that time, and
 * were not offered the wish. Returns how many slots became free.
 */
async function takeBackUnclaimed(trx: Db, workspaceId: string, now: number): Promise<number> {
  const unclaimed = await wishesQuery(trx, workspaceId)
    .where('runtime_granted_at', '<', now - unclaimedMs)
    .where((eb) => eb.or([eb('received_at', 'is', null), eb('received_at', '<', now - unclaimedMs)]))
    .orderBy('agent.id')
    .limit(50)
    .execute()
  let freed = 0
  for (const { id } of unclaimed) {
    const agent = await lockRow(trx, { id })
    const wishes = wishesIn(agent?.wishes ?? null)
    if (!agent || !wishes.runtime || wishes.runtime.offeredAt !== undefined) continue
    delete wishes.runtime.grantedAt
    await storeWishes(trx, agent, wishes)
    freed++
  }
  return freed
}

const wishesQuery = (trx: Db, workspaceId: string) =>
  trx
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select('agent.id')
    .where('workspace_id', '=', workspaceId)
    .where('runtime_wished', 'is not', null)
