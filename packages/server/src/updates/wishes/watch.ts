/**
 * Reads what a wish for a blueprint version waits for. For example, the agent may be offline, or may still watch the
 * version that it runs (D30). The agent's timeline shows which version is watched.
 */
import type { WaitReason } from '@svc/api'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { wishesIn } from './kept.ts'
import { wishStateOf } from './state.ts'
import { type BlueprintWaitFacts, blueprintWaits, type LastSeen, watchingMs } from './waits.ts'

/** A line of an agent's timeline that says that its blueprint version was kept, changed or rolled back. */
export interface VersionLine {
  kind: string
  version: string | null
  at: number
}

/** The running version and the time at which it was kept; null unless the last line says that this version was kept. */
const keptIn = (last: VersionLine | undefined, running: string | null): BlueprintWaitFacts['kept'] =>
  last?.kind === 'kept' && last.version !== null && last.version === running
    ? { version: last.version, at: last.at }
    : null

/**
 * The last `VersionLine` of each of these agents, by agent id. Lines older than `watchingMs` are left out, because
 * their versions are no longer watched.
 */
export async function lastLines(db: Db, agentIds: readonly string[], now: number): Promise<Map<string, VersionLine>> {
  const lines = await db
    .selectFrom('update_event')
    .select(['agent_id', 'kind', 'version', 'at'])
    .where('agent_id', 'in', agentIds)
    .where('at', '>', now - watchingMs)
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

/** The times of the last reports of these agents, and the times from which they count as offline, by agent id. */
export async function readLastSeen(db: Db, agentIds: readonly string[]): Promise<Map<string, LastSeen>> {
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

/** Says what the blueprint wish of an agent waits for, by its row and what `lastLines` and `readLastSeen` found. */
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
