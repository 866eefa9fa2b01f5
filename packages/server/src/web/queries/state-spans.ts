/** The spans of an agent's states, made from what is stored about them. Pure. */
import type { AgentState, StateSpan } from '@svc/api'
import { type Level, pausedLabel, type StoppedBy } from '@svc/protocol'
import { offlineFrom } from '../../fleet/agents/offline.ts'

/** A stored change of an agent's level or pause. */
export interface LevelRow {
  at: number
  level: Level
  label: string | null
  /** 1 if the agent was paused, otherwise 0; null in rows of earlier versions. */
  paused: number | null
}
/** A time span in Unix milliseconds. */
export interface StoredSpan {
  from: number
  until: number
}
export interface OfflineSpan extends StoredSpan {
  stopped: StoppedBy | null
}

/** Everything that is stored about the states of one agent. */
export interface StoredStates {
  /** The time of the agent's first report; null if it has not reported. */
  firstReportAt: number | null
  /** The level changes in the time that is asked for, and the last one before it, oldest first. */
  levels: readonly LevelRow[]
  /** The times offline. A time that has not ended is included, with infinity as its end. */
  offline: readonly OfflineSpan[]
  /** The outages of the service. */
  away: readonly StoredSpan[]
  /** The interval in seconds that the service last asked the agent for; null if it has not reported. */
  interval: number | null
  /** The time before which nothing is kept. */
  statesKeptFrom: number
}

/** True if the row says that the agent was paused. A row of an earlier version says so by its label. */
export const isPausedRow = ({ paused, label }: LevelRow): boolean =>
  paused === null ? label === pausedLabel : paused === 1

/**
 * The times offline that people are shown. If an agent went offline during an outage of the service, it gets the usual
 * time for a report after the outage, and counts as offline only from the end of that time.
 */
export function shownOfflineSpans({
  offline,
  away,
  interval,
}: Pick<StoredStates, 'offline' | 'away' | 'interval'>): OfflineSpan[] {
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
export function spansOf(kept: StoredStates, since: number, until: number): StateSpan[] {
  const offline = shownOfflineSpans(kept)
  const first = Math.max(kept.statesKeptFrom, kept.firstReportAt ?? Number.POSITIVE_INFINITY)
  // If several states hold at a time, the last one in this list wins.
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

/** Sorts time spans, and joins those that touch or overlap into one. */
function joined(spans: readonly StoredSpan[]): StoredSpan[] {
  const all: StoredSpan[] = []
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, until)
    else all.push({ from, until })
  }
  return all
}

/** Makes a function that is true for a time within one of the spans. It must be called with ascending times. */
function within(spans: readonly StoredSpan[]): (at: number) => boolean {
  let i = 0
  return (at) => {
    while ((spans[i]?.until ?? Number.POSITIVE_INFINITY) <= at) i++
    return (spans[i]?.from ?? Number.POSITIVE_INFINITY) <= at
  }
}

/** Makes a function that returns the last row at or before a time. It must be called with ascending times. */
function lastBefore(rows: readonly LevelRow[]): (at: number) => LevelRow | undefined {
  let i = -1
  return (at) => {
    while ((rows[i + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) i++
    return rows[i]
  }
}
