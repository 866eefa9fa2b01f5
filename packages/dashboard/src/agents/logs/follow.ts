/** Finds requested logs, decides when a followed log is requested again, and folds logs of the same name. Pure. */
import type { LogEntry } from '@svc/api'

/** The time for which a log is followed, in milliseconds. */
export const followMs = 10 * 60_000
/** The shortest time between two requests, in milliseconds. */
const minAskMs = 20_000

/** A log that is requested again and again. Times are Unix milliseconds by the service's clock. */
export interface FollowedLog {
  readonly name: string
  readonly since: number
  /** The time of the last request; null before the first one. */
  readonly askedAt: number | null
}

interface FollowFacts {
  readonly now: number
  /** The time between two reports of the agent, in milliseconds. */
  readonly interval: number
  /** True while a request for the log is pending. */
  readonly isPending: boolean
  /** True while the person can see the tab. */
  readonly isInSight: boolean
}

/** Decides what to do about a followed log now. Following ends after ten minutes, or when the tab is out of sight. */
export function followStep(
  { since, askedAt }: FollowedLog,
  { now, interval, isPending, isInSight }: FollowFacts,
): 'ask' | 'wait' | 'over' {
  if (!isInSight || now - since >= followMs) return 'over'
  if (isPending) return 'wait'
  return askedAt === null || now - askedAt >= Math.max(minAskMs, interval) ? 'ask' : 'wait'
}

/** Logs of one name that one person requested shortly after each other. */
export interface FoldedLogs {
  readonly newest: LogEntry
  readonly earlier: readonly LogEntry[]
}

/** Folds logs of one name that one person requested shortly after each other. `logs` are the newest first. */
export function foldLogs(logs: readonly LogEntry[]): FoldedLogs[] {
  const folded: { newest: LogEntry; earlier: LogEntry[] }[] = []
  for (const log of logs) {
    const open = folded.find(({ newest, earlier }) => {
      const last = earlier.at(-1) ?? newest
      return last.name === log.name && last.askedBy === log.askedBy && last.receivedAt - log.receivedAt < followMs / 2
    })
    if (open) open.earlier.push(log)
    else folded.push({ newest: log, earlier: [] })
  }
  return folded
}

/** A requested log that has not arrived. */
export interface AwaitedLog {
  readonly name: string
  /** The ids of the logs that the page knew when this log was requested. */
  readonly before: ReadonlySet<string>
  /** True if the page requested it again by itself, because a person follows the log. */
  readonly isFollowed?: boolean
}

/** Finds a requested log in the list of logs: a log of that name that was not listed before the request. */
export const arrivedLog = (waiting: AwaitedLog, logs: readonly LogEntry[]): LogEntry | undefined =>
  logs.find((log) => log.name === waiting.name && !waiting.before.has(log.id))
