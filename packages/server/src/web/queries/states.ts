/**
 * The states of one agent over time, read from the rows that are written when a state changes: levels with pauses,
 * times offline that are over, outages of the service, and the last report.
 */
import type { StateSpan } from '@svc/api'
import { limits, offlineAfter, type StoppedBy } from '@svc/protocol'
import { sql } from 'kysely'
import { offlineFrom, stateDays } from '../../fleet/agents/offline.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { type OfflineSpan, type StoredSpan, type StoredStates, spansOf } from './state-spans.ts'

/** The time that a question is about, and the time at which it is asked. */
export interface AskedStates {
  since: number
  until: number
  now: number
}

/** Reads the stored states of one agent from `since` to `until`. */
export async function readStateHistory(
  db: Db,
  agent: { id: string },
  { since, until, now }: AskedStates,
): Promise<StoredStates> {
  const changes = db
    .selectFrom('level_change')
    .select(['at', 'level', 'label', 'paused'])
    .where('agent_id', '=', agent.id)
  const before = await changes.where('at', '<', since).orderBy('at', 'desc').orderBy('seq', 'desc').limit(1).execute()
  const later = await changes.where('at', '>=', since).where('at', '<=', until).orderBy('at').orderBy('seq').execute()
  const offline = await db
    .selectFrom('agent_offline')
    .select(['from_at as from', 'until_at as until', 'stopped'])
    .where('agent_id', '=', agent.id)
    .where('from_at', '<', until)
    .where('until_at', '>', since)
    .orderBy('from_at')
    .orderBy('until_at')
    .execute()
  const last = await db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['first_report_at', 'received_at', 'interval_s', 'stopped'])
    .where('agent.id', '=', agent.id)
    .executeTakeFirstOrThrow()
  const rows = [...before, ...later]
  const open = openOffline(last)
  return {
    firstReportAt: findFirstReport(last, rows[0]?.at),
    levels: rows,
    offline: open ? [...offline, open] : offline,
    away: await serviceOutages(db, since, until),
    interval: last.interval_s,
    statesKeptFrom: statesKeptFrom(now),
  }
}

interface LastColumns {
  first_report_at: number | null
  received_at: number | null
  interval_s: number | null
  stopped: StoppedBy | null
}

/**
 * The time of the first report; null if there is none. After an upgrade it is the time of the oldest known report,
 * until the sweeper has stored that time.
 */
export const findFirstReport = (
  { first_report_at, received_at }: LastColumns,
  oldest = Number.POSITIVE_INFINITY,
): number | null => first_report_at ?? (received_at === null ? null : Math.min(oldest, received_at))

/** The time offline that has not ended. It may begin in the future, if the agent's next report is not overdue yet. */
export const openOffline = ({ received_at, interval_s, stopped }: LastColumns): OfflineSpan | undefined =>
  received_at === null
    ? undefined
    : { from: offlineFrom(received_at, interval_s ?? 0, stopped), until: Number.POSITIVE_INFINITY, stopped }

/** The outages of the service between two times, and earlier ones that `shownOfflineSpans` may need. */
export async function serviceOutages(db: Db, since: number, until: number): Promise<StoredSpan[]> {
  return db
    .selectFrom('service_away')
    .select(['from_at as from', 'until_at as until'])
    .where('until_at', '>', since - offlineAfter(limits.maxIntervalSeconds) * 1000)
    .where('from_at', '<', until)
    .orderBy('from_at')
    .execute()
}

/** The time before which the service keeps no states. */
export const statesKeptFrom = (now: number): number => now - stateDays * dayMs

export async function agentStates(db: Db, agent: { id: string }, asked: AskedStates): Promise<StateSpan[]> {
  return spansOf(await readStateHistory(db, agent, asked), asked.since, asked.until)
}

/**
 * When the service began to keep pauses and times offline, if the agent is older than that: the time of the migration
 * that made their table.
 */
export async function statesSince(db: Db, agent: { created_at: number }): Promise<number | null> {
  const { rows } = await sql<{ timestamp: string }>`select timestamp from kysely_migration
    where name = '049-states'`.execute(db)
  const since = Date.parse(rows[0]?.timestamp ?? '')
  return agent.created_at < since ? since : null
}
