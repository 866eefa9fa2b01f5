/**
 * Lets a requested version start although the agent still watches the version that it runs (D30): the wish then says
 * `now`, which ends the watch on the machine (2.7).
 */
import type { NowRefusal, PressVerdict, WaitReason } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { AgentRef } from '../../platform/ids.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import { noteUpdate } from './events.ts'
import { wishesIn } from './kept.ts'
import { whyTooOldForNow } from './needs.ts'
import { lockRow, storeWishes } from './row.ts'
import type { WishContext, WishedAgent } from './store.ts'
import { blueprintWaitsOf, lastLines, readLastSeen } from './watch.ts'

/**
 * Decides whether an agent can start its update before the watch of the version that it runs is over. `waits` says what
 * the update waits for.
 */
export function judgeEarlyStart(agent: Pick<AgentRow, 'attempts'>, waits: WaitReason | null): PressVerdict<NowRefusal> {
  if (waits?.for !== 'window')
    return { ok: false, code: 'nothing_waits', message: 'No update of it waits for the end of a watch.' }
  return whyTooOldForNow(agent) ?? { ok: true }
}

/** Lets the requested version of an agent start without waiting for the end of the watch. */
export const doNotWait = (
  { db, by, now }: ChangeContext,
  agent: AgentRef,
): Promise<Verdict<WishedAgent, 'agent_unknown' | NowRefusal>> =>
  transaction(db, async (trx) => {
    const [verdict] = await doNotWaitInTransaction(trx, [agent], { by, now })
    if (!verdict) return unknownAgent
    if (!verdict.ok || !verdict.value.made) return verdict
    const { name, workspace_id: workspaceId, wished_version: version } = verdict.value.agent
    const action = 'wish.hurried'
    await audit(trx, { workspaceId, at: now, by, action, subject: `agent ${name}`, details: { version } })
    return verdict
  })

/**
 * Marks the blueprint wishes of these agents, in the caller's transaction and in the given order. An agent whose wish
 * is already marked is not changed. Agents that no longer exist are left out of the result.
 */
export async function doNotWaitInTransaction(
  trx: Db,
  agents: readonly AgentRef[],
  { by, now, rollout }: WishContext,
): Promise<Verdict<WishedAgent, NowRefusal>[]> {
  const ids = agents.map(({ id }) => id)
  const lines = await lastLines(trx, ids, now)
  const seen = await readLastSeen(trx, ids)
  const verdicts: Verdict<WishedAgent, NowRefusal>[] = []
  for (const { id } of agents) {
    const agent = await lockRow(trx, { id })
    if (!agent) continue
    const wishes = wishesIn(agent.wishes)
    const wish = wishes.blueprint
    if (wish?.hurriedAt !== undefined) {
      verdicts.push({ ok: true, value: { agent, made: false } })
      continue
    }
    const waits = blueprintWaitsOf(agent, { line: lines.get(id), seen: seen.get(id) }, now)
    const may = judgeEarlyStart(agent, waits)
    if (!may.ok) {
      verdicts.push(may)
      continue
    }
    if (!wish || waits?.for !== 'window') throw new Error('An agent that may be told waits for the end of a watch.')
    wish.hurriedAt = now
    verdicts.push({ ok: true, value: { agent: await storeWishes(trx, agent, wishes), made: true } })
    await noteUpdate(trx, agent, {
      at: now,
      of: 'blueprint',
      kind: 'wished',
      version: wish.version,
      from: waits.version,
      message: `It does not wait for the end of the watch of ${waits.version}.`,
      by: by.name,
      rollout: rollout ?? null,
    })
  }
  return verdicts
}
