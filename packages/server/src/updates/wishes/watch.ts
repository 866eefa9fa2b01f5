/**
 * Lets a requested version start although the agent still watches the version that it runs (D30): the wish then says
 * `now`, which ends the watch on the machine (2.7). The agent's timeline tells which version is watched.
 */
import type { NowRefusal, Pressable, WaitReason } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { AgentRef } from '../../platform/ids.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import { noteUpdate } from './events.ts'
import { wishesIn } from './kept.ts'
import { tooOldForNow } from './needs.ts'
import { lockRow, storeWishes } from './row.ts'
import { wishStateOf } from './state.ts'
import type { WishContext, WishedAgent } from './store.ts'
import { type BlueprintWaitFacts, blueprintWaits, type LastSeen, windowMs } from './waits.ts'

/** A line of an agent's timeline about the version that it runs. */
export interface VersionLine {
  kind: string
  version: string | null
  at: number
}

/** The running version and the time at which it was kept, if the last line of the agent's timeline says so. */
const keptIn = (last: VersionLine | undefined, running: string | null): BlueprintWaitFacts['kept'] =>
  last?.kind === 'kept' && last.version !== null && last.version === running
    ? { version: last.version, at: last.at }
    : null

/** The last line about a version in the timeline of each of these agents that may still watch one, by agent id. */
export async function lastLines(db: Db, agentIds: readonly string[], now: number): Promise<Map<string, VersionLine>> {
  const lines = await db
    .selectFrom('update_event')
    .select(['agent_id', 'kind', 'version', 'at'])
    .where('agent_id', 'in', agentIds)
    .where('at', '>', now - windowMs)
    .where('seq', '=', (eb) =>
      eb
        .selectFrom('update_event as line')
        .select('line.seq')
        .whereRef('line.agent_id', '=', 'update_event.agent_id')
        .where('line.subject', '=', 'blueprint')
        .where('line.kind', 'in', ['kept', 'changed', 'rolled_back'])
        .orderBy('line.seq', 'desc')
        .limit(1),
    )
    .execute()
  return new Map(lines.map(({ agent_id, ...line }) => [agent_id, line]))
}

/** The times of the last reports of these agents, by agent id. */
export async function lastSeenOf(db: Db, agentIds: readonly string[]): Promise<Map<string, LastSeen>> {
  const reports = await db
    .selectFrom('agent_report')
    .select(['agent_id', 'received_at', 'interval_s', 'stopped'])
    .where('agent_id', 'in', agentIds)
    .execute()
  return new Map(
    reports.map(({ agent_id, received_at, interval_s, stopped }) => [
      agent_id,
      { receivedAt: received_at, silentAt: offlineFrom(received_at, interval_s, stopped) },
    ]),
  )
}

/** Says what the blueprint wish of an agent waits for, by its row and what `lastLines` and `lastSeenOf` found. */
export function blueprintWaitsOf(
  agent: Pick<AgentRow, 'wishes' | 'installed_version' | 'reported_version' | 'previous_version'>,
  { line, seen }: { line: VersionLine | undefined; seen: LastSeen | undefined },
  now: number,
): WaitReason | null {
  const { blueprint: wish, runtime } = wishesIn(agent.wishes)
  const facts = {
    ...(seen ?? { receivedAt: null, silentAt: null }),
    kept: keptIn(line, runningVersion(agent)),
    previous: agent.previous_version,
    runtimeOnTrial: runtime?.runsSince !== undefined,
  }
  return blueprintWaits(wishStateOf(agent), wish, facts, now)
}

/** Decides whether an agent can be told not to wait, by what its wish waits for. */
export function judgeNow(agent: Pick<AgentRow, 'attempts'>, waits: WaitReason | null): Pressable<NowRefusal> {
  if (waits?.for !== 'window')
    return { ok: false, code: 'nothing_waits', message: 'No update of it waits for the end of a watch.' }
  return tooOldForNow(agent) ?? { ok: true }
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
 * Marks the blueprint wishes of these agents, in the caller's transaction and in the given order. An agent that was
 * told already is not changed. Agents that no longer exist are left out of the result.
 */
export async function doNotWaitInTransaction(
  trx: Db,
  agents: readonly AgentRef[],
  { by, now, rollout }: WishContext,
): Promise<Verdict<WishedAgent, NowRefusal>[]> {
  const ids = agents.map(({ id }) => id)
  const lines = await lastLines(trx, ids, now)
  const seen = await lastSeenOf(trx, ids)
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
    const may = judgeNow(agent, waits)
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
