/**
 * The states of agents over time, made from the rows that are written when a state changes: levels with pauses, times
 * offline that are over, outages of the service, and the last report.
 */
import type { AgentAt, AgentState, AgentTrend, StateSpan, TimeShares } from '@svc/api'
import { type Level, levels, limits, offlineAfter, pausedLabel, type StoppedBy } from '@svc/protocol'
import { sql } from 'kysely'
import { offlineFrom, stateDays } from '../../fleet/agents/offline.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { listTurns } from './fleet.ts'
import { usageSums } from './usage.ts'

export interface LevelRow {
  at: number
  level: Level
  label: string | null
  /** Null in rows of earlier versions. */
  paused: number | null
}
export interface StoredSpan {
  from: number
  until: number
}
export interface OfflineSpan extends StoredSpan {
  stopped: StoppedBy | null
}

/** Everything that is stored about the states of one agent. */
export interface KeptStates {
  /** When its first report arrived; null if it has not reported. */
  firstReportAt: number | null
  /** The level changes of the asked time, and the last one before it, oldest first. */
  levels: readonly LevelRow[]
  /** The times offline, also the one that has not ended, which then ends at infinity. */
  offline: readonly OfflineSpan[]
  /** The outages of the service. */
  away: readonly StoredSpan[]
  /** The interval in seconds that the service last asked the agent for; null if it has not reported. */
  interval: number | null
  /** The time before which nothing is kept. */
  keptFrom: number
}

/** The time that a question is about, and the time at which it is asked. */
export interface AskedStates {
  since: number
  until: number
  now: number
}

/** Paused, as the row says it, or by its label for a row of an earlier version. */
export const isPausedRow = ({ paused, label }: LevelRow): boolean =>
  paused === null ? label === pausedLabel : paused === 1

/**
 * The times offline as people see them. After an outage of the service an agent has the usual time for its next report:
 * one that went offline during the outage did so when that time was over.
 */
export function shownOffline({
  offline,
  away,
  interval,
}: Pick<KeptStates, 'offline' | 'away' | 'interval'>): OfflineSpan[] {
  return offline
    .map((span) => {
      if (span.stopped !== null) return span
      let { from } = span
      for (const outage of away)
        if (outage.from < from && from <= outage.until) from = offlineFrom(outage.until, interval ?? 0)
      return { ...span, from }
    })
    .filter(({ from, until }) => from < until)
}

/** The spans of an agent from `since` to `until`, oldest first, without gap or overlap; equal neighbours are one. */
export function spansOf(kept: KeptStates, since: number, until: number): StateSpan[] {
  const offline = shownOffline(kept)
  const first = Math.max(kept.keptFrom, kept.firstReportAt ?? Number.POSITIVE_INFINITY)
  // The last state that holds wins, as in `AgentState`.
  const layers: [AgentState, StoredSpan[]][] = [
    ['offline', joined(offline.filter(({ stopped }) => stopped === null))],
    ['stopped', joined(offline.filter(({ stopped }) => stopped !== null))],
    ['unknown', joined([...kept.away, { from: Number.NEGATIVE_INFINITY, until: first }])],
  ]
  const bounds = [
    ...kept.levels.map(({ at }) => at),
    ...layers.flatMap(([, all]) => all.flatMap((s) => [s.from, s.until])),
  ]
  const times = [...new Set([since, ...bounds.filter((at) => at > since && at < until)])].sort((a, b) => a - b)
  const holds = layers.map(([is, all]) => [is, within(all)] as const)
  const levelAt = lastBefore(kept.levels)
  const spans: StateSpan[] = []
  if (since >= until) return spans
  for (const [i, from] of times.entries()) {
    const row = levelAt(from)
    let is: AgentState = row && isPausedRow(row) ? 'paused' : 'reporting'
    for (const [state, holdsAt] of holds) if (holdsAt(from)) is = state
    const known = is === 'unknown' ? undefined : row
    add(spans, { from, until: times[i + 1] ?? until, is, level: known?.level ?? null, label: known?.label ?? null })
  }
  return spans
}

function add(spans: StateSpan[], next: StateSpan): void {
  const last = spans.at(-1)
  if (last && last.is === next.is && last.level === next.level && last.label === next.label) last.until = next.until
  else spans.push(next)
}

/** The same times, in order, with those that touch or overlap as one. */
function joined(spans: readonly StoredSpan[]): StoredSpan[] {
  const all: StoredSpan[] = []
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, until)
    else all.push({ from, until })
  }
  return all
}

/**
 * Makes a function that says whether one of the spans holds at a time. It must be asked about later and later times.
 */
function within(spans: readonly StoredSpan[]): (at: number) => boolean {
  let i = 0
  return (at) => {
    while ((spans[i]?.until ?? Number.POSITIVE_INFINITY) <= at) i++
    return (spans[i]?.from ?? Number.POSITIVE_INFINITY) <= at
  }
}

/** Makes a function that returns the last row at or before a time. It must be asked about later and later times. */
function lastBefore(rows: readonly LevelRow[]): (at: number) => LevelRow | undefined {
  let i = -1
  return (at) => {
    while ((rows[i + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) i++
    return rows[i]
  }
}

// ---- Reading ----

/** Reads what is kept about the states of one agent from `since` to `until`. */
export async function keptStates(
  db: Db,
  agent: { id: string },
  { since, until, now }: AskedStates,
): Promise<KeptStates> {
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
    keptFrom: keptFrom(now),
  }
}

interface LastColumns {
  first_report_at: number | null
  received_at: number | null
  interval_s: number | null
  stopped: StoppedBy | null
}

/** The first report; until the sweeper has noted it after an upgrade, the oldest that is known. */
export const findFirstReport = (
  { first_report_at, received_at }: LastColumns,
  oldest = Number.POSITIVE_INFINITY,
): number | null => first_report_at ?? (received_at === null ? null : Math.min(oldest, received_at))

/** The time offline that has not ended; it may begin in the future. */
const openOffline = ({ received_at, interval_s, stopped }: LastColumns): OfflineSpan | undefined =>
  received_at === null
    ? undefined
    : { from: offlineFrom(received_at, interval_s ?? 0, stopped), until: Number.POSITIVE_INFINITY, stopped }

/** The outages of the service between two times, and those that ended shortly before. */
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
const keptFrom = (now: number): number => now - stateDays * dayMs

export async function agentStates(db: Db, agent: { id: string }, asked: AskedStates): Promise<StateSpan[]> {
  return spansOf(await keptStates(db, agent, asked), asked.since, asked.until)
}

/**
 * When the service began to keep pauses and times offline, if the agent is older than that: the time of the migration
 * that made their table.
 */
export async function keptSince(db: Db, agent: { created_at: number }): Promise<number | null> {
  const { rows } = await sql<{ timestamp: string }>`select timestamp from kysely_migration
    where name = '049-states'`.execute(db)
  const since = Date.parse(rows[0]?.timestamp ?? '')
  return agent.created_at < since ? since : null
}

// ---- All agents of a workspace ----

/** The number of agents whose states are read in one turn of the event loop, which takes two or three milliseconds. */
const agentsAtOnce = 50

/** The states of all agents of a workspace at a time, by name; those without a known state are left out. */
export async function fleetAt(
  db: Db,
  workspace: { id: string },
  { at, now, level }: { at: number; now: number; level?: Level | undefined },
): Promise<AgentAt[]> {
  const away = await serviceOutages(db, at, at + 1)
  const found: AgentAt[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    await listTurns.next(workspace.id)
    const rows = await agentsAt(db, workspace, at)
      .where('name', '>', after)
      .orderBy('name')
      .limit(agentsAtOnce)
      .execute()
    for (const row of rows) {
      const span = spansOf({ ...keptStatesOf(row), away, keptFrom: keptFrom(now) }, at, at + 1)[0]
      if (!span || span.is === 'unknown' || (level !== undefined && span.level !== level)) continue
      found.push({ name: row.name, is: span.is, level: span.level, label: span.label })
    }
    after = rows.length < agentsAtOnce ? undefined : rows.at(-1)?.name
  }
  // The JSON of the answer is made in a turn of its own.
  await listTurns.next(workspace.id)
  return found
}

/** The query for the agents of a workspace, with the last change of level and the last time offline up to a time. */
export function agentsAt(db: Db, { id }: { id: string }, at: number) {
  return db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .leftJoin('level_change as l', (join) =>
      join.on('l.seq', '=', (eb) =>
        eb
          .selectFrom('level_change as other')
          .select('other.seq')
          .whereRef('other.agent_id', '=', 'agent.id')
          .where('other.at', '<=', at)
          .orderBy('other.at', 'desc')
          .orderBy('other.seq', 'desc')
          .limit(1),
      ),
    )
    .leftJoin('agent_offline as o', (join) =>
      join.on('o.seq', '=', (eb) =>
        eb
          .selectFrom('agent_offline as other')
          .select('other.seq')
          .whereRef('other.agent_id', '=', 'agent.id')
          .where('other.from_at', '<=', at)
          .orderBy('other.from_at', 'desc')
          .orderBy('other.until_at', 'desc')
          .limit(1),
      ),
    )
    .select(['name', 'first_report_at', 'received_at', 'interval_s', 'agent_report.stopped'])
    .select(['l.at', 'l.level', 'l.label', 'l.paused', 'o.from_at', 'o.until_at', 'o.stopped as was_stopped'])
    .where('workspace_id', '=', id)
}

type RowAt = Awaited<ReturnType<ReturnType<typeof agentsAt>['execute']>>[number]

export function keptStatesOf(row: RowAt): Omit<KeptStates, 'away' | 'keptFrom'> {
  const { at, level, label, paused, from_at, until_at, was_stopped } = row
  const open = openOffline(row)
  return {
    firstReportAt: findFirstReport(row, at ?? undefined),
    levels: at === null || level === null ? [] : [{ at, level, label, paused }],
    offline: [
      ...(from_at === null || until_at === null ? [] : [{ from: from_at, until: until_at, stopped: was_stopped }]),
      ...(open ? [open] : []),
    ],
    interval: row.interval_s,
  }
}

// ---- A longer time in steps ----

/** The seconds of a step, by the days of the whole. */
const stepOf = (days: number): number => (days === 1 ? 600 : days === 7 ? 3600 : dayMs / 1000)

/** How an agent spent the last days, in steps that end with the present one. */
export async function agentTrend(db: Db, agent: { id: string }, days: number, now: number): Promise<AgentTrend> {
  const step = stepOf(days)
  const until = (Math.floor(now / (step * 1000)) + 1) * step * 1000
  const from = until - days * dayMs
  const spans = await agentStates(db, agent, { since: from, until: now, now })
  const time = Array.from({ length: (until - from) / (step * 1000) }, noTime)
  for (const span of spans) addTime(time, span, { from, stepMs: step * 1000 })
  for (const shares of time) for (const key of shareNames) shares[key] = Math.round(shares[key]) / 1000
  const usage = step * 1000 < dayMs ? [] : await usageByDay(db, agent, dayNumber(from), days)
  return { from, until, step, gauges: [], time, usage }
}

const shareNames = [...levels, 'none', 'paused', 'offline', 'stopped', 'unknown'] as const
const noTime = () => Object.fromEntries(shareNames.map((name) => [name, 0])) as TimeShares

/** Adds the milliseconds of a span to the steps in which it lies. */
function addTime(time: TimeShares[], span: StateSpan, { from, stepMs }: { from: number; stepMs: number }): void {
  const key = span.is === 'reporting' ? (span.level ?? 'none') : span.is
  for (let at = span.from; at < span.until; ) {
    const i = Math.floor((at - from) / stepMs)
    const end = Math.min(span.until, from + (i + 1) * stepMs)
    const shares = time[i]
    if (shares) shares[key] += end - at
    at = end
  }
}

async function usageByDay(db: Db, agent: { id: string }, first: number, days: number): Promise<AgentTrend['usage']> {
  const usage: AgentTrend['usage'] = Array.from({ length: days }, () => null)
  for (const { day, model, runs, costMicro, outputTokens } of await usageSums(db, agent, first))
    if (model === '' && usage[day - first] !== undefined)
      usage[day - first] = { runs, cost: costMicro / 1_000_000, outputTokens }
  return usage
}
