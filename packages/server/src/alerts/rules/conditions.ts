/**
 * The facts that alert rules judge, some of their conditions, and the findings of conditions. Conditions judge what is
 * stored in the database, not a stream of events, so no condition is missed while the service is down. Pure.
 */
import type { AlertLevel, RuleName } from '@svc/api'
import type { Level, Outcome, StoppedBy } from '@svc/protocol'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import type { ReportSigns } from '../../fleet/reports/signs.ts'
import { type Hours, windowAt } from './hours.ts'

const minute = 60_000
/** The minimum time after an outage of the service in which no agent counts as offline. */
const minGraceMs = 3 * minute
/** The number of consecutive failed runs that open an alert of the rule `run_failed`. */
export const failedRuns = 3
const jumpFactor = 3
/** The minimum cost of a day, in millionths of a US dollar, that can count as unusual. */
export const minJumpMicro = 1_000_000
/** The number of earlier days with a cost that an agent needs before its cost today can count as unusual. */
const minJumpDays = 3
/** The number of runs in a day that never count as too many, however few are usual for the agent. */
export const maxUsualRuns = 50
const runawayFactor = 3
/** The number of earlier days with runs that an agent needs before its runs today can count as unusual. */
const minRunDays = 3
/**
 * The time within which the agents of a mass outage go offline. One alert of the workspace then replaces those of the
 * single agents, because the network or this service is the likelier cause.
 */
const massWindowMs = 2 * minute
const minMassAgents = 5
const minMassShare = 0.3

/** The settings of a rule in a workspace. Times are in milliseconds, costs in millionths of a US dollar. */
export interface Rule {
  name: RuleName
  on: boolean
  /** The milliseconds for which the condition must hold before the alert opens. */
  after: number
  level: AlertLevel
  limit: number | null
  statuses: readonly string[] | null
  /** True if reminders are sent while an alert of the level bad is open and nobody has acknowledged it. */
  reminds: boolean
}

/** The reason why an alert is closed although its problem may not be over. */
export type EndCause = 'stopped' | 'paused' | 'unreported'

/** The result of judging one alert rule for one subject, such as an agent, a rollout or the service. */
export type ConditionFinding =
  /**
   * The condition holds. `from` is when it started, if known, and the rule's `after` counts from then. `since` is the
   * start that messages name, if it differs from `from`.
   */
  | { is: 'holds'; from?: number; since?: number; label?: string }
  /** The condition is gone. `because` says why, if the problem itself may remain. */
  | { is: 'clear'; because?: EndCause }
  /** Nothing can be said about the condition now, so the alert stays as it is. */
  | { is: 'unknown' }
  /**
   * The rule no longer applies to the subject, so its alert ends at once and without a message. With `mayReturn` the
   * rule can soon apply again, so an unsteady alert is kept until it has settled.
   */
  | { is: 'over'; mayReturn?: true }

export const clearFinding: ConditionFinding = { is: 'clear' }
export const unknownFinding: ConditionFinding = { is: 'unknown' }
export const overFinding: ConditionFinding = { is: 'over' }
const notNow: ConditionFinding = { is: 'over', mayReturn: true }
/** The finding of a condition that either holds or is gone. */
export const holdsOrClear = (holds: boolean, label?: string): ConditionFinding =>
  holds ? { is: 'holds', ...(label !== undefined && { label }) } : clearFinding

/** The facts about an agent that rules judge. */
export interface AlertFacts {
  /** When the last report arrived; null if the agent has never reported. */
  receivedAt: number | null
  intervalSeconds: number
  stopped: StoppedBy | null
  paused: boolean
  level: Level | null
  label: string | null
  /** True if the agent's last report says that its status file is too old, that is, more than ten minutes (D65). */
  statusStale: boolean
  /** True if the agent's last report says that the disk of its machine is full or nearly full. */
  diskFull: boolean
  signs: ReportSigns
  /** The last failed or rolled-back update, as long as it still counts (see `failedUpdate`); otherwise null. */
  update: { version: string; outcome: Exclude<Outcome, 'ok'> } | null
  /** The statuses of the agent's last ended runs, newest first. */
  runs: readonly (string | null)[]
  /**
   * The agent's cost in millionths of a US dollar: today, and on each of the previous 14 days that had a cost. `before`
   * is empty if today's sums are too low for any rule.
   */
  cost: { today: number; before: readonly number[] }
  /**
   * The number of runs that the agent started today, and on each of the previous 14 days that had runs. `before` is
   * empty if today's sums are too low for any rule.
   */
  starts: { today: number; before: readonly number[] }
  twoReporters: boolean
  /** The hours of the week in which the agent is expected to report; null means always. */
  hours: Hours | null
}

/** The level and the signs of an agent's last report. */
export type ReportedFacts = Pick<AlertFacts, 'level' | 'label' | 'signs'>

export interface RuleMoment {
  now: number
  /** The end of the last outage of the service of more than 30 s; null if there was none recently. */
  backSince: number | null
}

/** True if the agent has reported, and its next report is so late that the agent counts as offline. */
export const isReportOverdue = (
  { receivedAt, intervalSeconds }: Pick<AlertFacts, 'receivedAt' | 'intervalSeconds'>,
  now: number,
): boolean => receivedAt !== null && offlineFrom(receivedAt, intervalSeconds) <= now

/** The finding that ends the alerts of an agent that a person has stopped. */
export const stoppedFinding: ConditionFinding = { is: 'clear', because: 'stopped' }

/** False if no rule about daily sums can hold for an agent with these sums of today. */
export function mayHoldForSums(cost: number, starts: number, rules: (name: RuleName) => Rule): boolean {
  const day = rules('cost_day')
  if (rules('runaway').on && starts > maxUsualRuns) return true
  return (rules('cost_jump').on && cost > minJumpMicro) || (day.on && costOfDay(cost, day).is === 'holds')
}

/**
 * Compares today's cost (UTC) of an agent or a workspace with the limit. The alert ends without a message when the day
 * ends or the limit is raised.
 */
export const costOfDay = (micro: number, { limit }: Pick<Rule, 'limit'>): ConditionFinding =>
  limit !== null && micro > limit ? { is: 'holds' } : notNow

/** Compares today's cost of an agent with its usual cost. The alert ends without a message when the day ends. */
export const costJump = ({ today, before }: AlertFacts['cost']): ConditionFinding =>
  before.length >= minJumpDays && today > minJumpMicro && today > jumpFactor * median(before) ? { is: 'holds' } : notNow

/** Compares today's runs of an agent with the busiest day before. The alert ends without a message at midnight UTC. */
export const judgeRunaway = ({ today, before }: AlertFacts['starts']): ConditionFinding =>
  before.length >= minRunDays && today > maxUsualRuns && today > runawayFactor * Math.max(...before)
    ? { is: 'holds' }
    : notNow

/**
 * Judges whether an agent is offline, by the service's clock (D20). No agent counts as offline soon after an outage of
 * the service, or outside the hours in which the agent is expected to report.
 */
export function offlineFinding(
  { receivedAt, intervalSeconds, hours }: Pick<AlertFacts, 'receivedAt' | 'intervalSeconds' | 'hours'>,
  { now, backSince }: RuleMoment,
): ConditionFinding {
  if (receivedAt === null) return clearFinding
  const since = offlineFrom(receivedAt, intervalSeconds)
  if (now < since) return clearFinding
  const judgedFrom = backSince === null ? since : backSince + Math.max(3 * intervalSeconds * 1000, minGraceMs)
  if (now < judgedFrom) return unknownFinding
  // The time of the outage says nothing about the agent, so the rule's `after` does not count it.
  const from = Math.max(since, judgedFrom)
  if (hours === null) return { is: 'holds', from, since }
  const window = windowAt(hours, now)
  return window ? { is: 'holds', from: Math.max(from, window.from), since } : unknownFinding
}

/**
 * Returns the time at which the mass outage of a workspace began, in Unix milliseconds; undefined if there is none.
 * `offlineSince` has the times at which the offline agents stopped reporting, and `counted` is the number of agents
 * that have ever reported. `known` is the start of a mass outage about which an alert is already open; that outage
 * lasts while some of its agents are still offline.
 */
export function massOutage(offlineSince: readonly number[], counted: number, known?: number): number | undefined {
  if (known !== undefined) return offlineSince.some((since) => wentOfflineThen(known, since)) ? known : undefined
  const enough = Math.max(minMassAgents, counted * minMassShare)
  if (offlineSince.length < enough) return undefined
  const [first, last] = firstAndLast(offlineSince)
  // Sorting the times of a large fleet blocks this process for some milliseconds, so it is avoided.
  if (last - first <= massWindowMs) return first
  const times = Float64Array.from(offlineSince).sort()
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && (times[end] ?? 0) <= since + massWindowMs) end++
    if (end - start >= enough) return since
  }
  return undefined
}

/**
 * True if an agent that went offline at `since` belongs to the mass outage that began at `begin`. An agent that
 * reported again and went offline later does not belong to it.
 */
export const wentOfflineThen = (begin: number, since: number): boolean =>
  since >= begin && since <= begin + massWindowMs

function firstAndLast(times: readonly number[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    if (time < first) first = time
    if (time > last) last = time
  }
  return [first, last]
}

/**
 * Judges the earliest run in progress. The condition is gone as soon as that run is younger than `after`, so that runs
 * which follow each other without a break do not keep an alert open.
 */
export function longRun(started: number | null, after: number, now: number): ConditionFinding {
  if (started === null) return clearFinding
  const from = started * 1000
  if (now - Math.min(from, now) < after) return clearFinding
  return from > now ? { is: 'holds' } : { is: 'holds', from }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = low] = sorted.length % 2 === 1 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}
