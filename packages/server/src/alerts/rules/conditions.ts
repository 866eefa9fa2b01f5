/**
 * The conditions that open alerts: a table with the defaults of each rule, and a function for each rule that judges one
 * subject. The functions judge what is stored in the database, not a stream of events, so no condition is missed while
 * the service is down.
 */
import type { AlertLevel, RuleName } from '@svc/api'
import { failedStatuses, type Level, type Outcome, type Stop } from '@svc/protocol'
import { pausedLabel } from '../../agent-api/reports/machine-changes.ts'
import { silentAt } from '../../fleet/agents/silent.ts'
import type { Signs } from '../../fleet/reports/signs.ts'
import { type Hours, windowAt } from './hours.ts'

const minute = 60_000
const hour = 60 * minute
/** The minimum time after an outage of the service in which no agent counts as silent. */
const minGraceMs = 3 * minute
/** The number of consecutive failed runs that open an alert of the rule `run_failed`. */
const failedRuns = 3
const jumpFactor = 3
export const minJumpMicro = 1_000_000
/**
 * The maximum time for which a condition must be gone before its alert ends. A rule with a shorter `after` uses that
 * time instead; the rule `two_reporters` uses `twoReportersEndMs`.
 */
const maxEndMs = 2 * minute
/**
 * The time for which the condition of the rule `two_reporters` must be gone before its alert ends. An agent that
 * reports every 30 s sends ten reports in it, and the rule judges by the last ten reports.
 */
const twoReportersEndMs = 5 * minute
/** The number of earlier days with a cost that an agent needs before its cost today can count as unusual. */
const minJumpDays = 3

/** The settings of a rule in a workspace. Times are in milliseconds, costs in millionths of a US dollar. */
export interface Rule {
  name: RuleName
  on: boolean
  /** How long the condition must hold before the alert opens. */
  after: number
  level: AlertLevel
  limit: number | null
  statuses: readonly string[] | null
  /** True if reminders are sent while an alert of the level bad is open and nobody has acknowledged it. */
  reminds: boolean
}

type Defaults = Pick<Rule, 'on' | 'after' | 'level'> & Partial<Pick<Rule, 'limit' | 'statuses'>>

const defaults: Readonly<Record<RuleName, Defaults>> = {
  silent: { on: true, after: 10 * minute, level: 'bad' },
  bad: { on: true, after: 2 * minute, level: 'bad' },
  item: { on: true, after: 2 * minute, level: 'bad' },
  warning: { on: false, after: 30 * minute, level: 'warn' },
  process: { on: true, after: 2 * minute, level: 'bad' },
  status_stale: { on: true, after: 0, level: 'warn' },
  binding: { on: true, after: 10 * minute, level: 'warn' },
  disk: { on: true, after: 0, level: 'warn' },
  update: { on: true, after: 0, level: 'bad' },
  rollout: { on: true, after: 0, level: 'bad' },
  command: { on: false, after: 0, level: 'warn' },
  run_failed: { on: false, after: 0, level: 'bad', statuses: failedStatuses },
  run_long: { on: false, after: 2 * hour, level: 'warn' },
  cost_day: { on: false, after: 0, level: 'warn', limit: null },
  cost_jump: { on: true, after: 0, level: 'warn' },
  gauge: { on: false, after: 10 * minute, level: 'warn' },
  two_reporters: { on: true, after: 0, level: 'warn' },
  service: { on: true, after: 0, level: 'bad' },
}

export const defaultRule = (name: RuleName): Rule => ({
  name,
  limit: null,
  statuses: null,
  reminds: true,
  ...defaults[name],
})

/** Why an alert is closed although its problem may not be over. */
export type EndCause = 'stopped' | 'paused' | 'unreported'

/** The result of judging one alert rule for one subject, such as an agent, a rollout or the service. */
export type Finding =
  /**
   * The condition holds. `from` is when it started, if known, and the rule's `after` counts from then. `since` is the
   * start that messages name, if it differs from `from`.
   */
  | { is: 'holds'; from?: number; since?: number; label?: string }
  /** The condition is gone. `because` says why if that does not mean that the problem is. */
  | { is: 'clear'; because?: EndCause }
  /** Nothing can be said about the condition now, so the alert stays as it is. */
  | { is: 'unknown' }
  /**
   * The rule no longer applies to the subject, so its alert ends at once and without a message. `mayReturn` says that it
   * can soon apply again: then an unsteady alert is kept until it has settled, as if its condition were gone.
   */
  | { is: 'over'; mayReturn?: true }

const clear: Finding = { is: 'clear' }
const unknown: Finding = { is: 'unknown' }
const over: Finding = { is: 'over' }
const notNow: Finding = { is: 'over', mayReturn: true }
const when = (holds: boolean, label?: string): Finding =>
  holds ? { is: 'holds', ...(label !== undefined && { label }) } : clear

export interface AlertFacts {
  /** When the last report arrived; null if the agent has never reported. */
  receivedAt: number | null
  intervalSeconds: number
  stopped: Stop | null
  paused: boolean
  level: Level | null
  label: string | null
  /** True if the agent's last report says that its status file is too old, that is, more than ten minutes (D65). */
  statusStale: boolean
  /** True if the agent's last report says that the disk of its machine is full or nearly full. */
  diskFull: boolean
  signs: Signs
  /** The last failed or rolled-back update, as long as it still counts (see `failedUpdate`); otherwise null. */
  update: { version: string; outcome: Exclude<Outcome, 'ok'> } | null
  /** The statuses of the agent's last ended runs, newest first. */
  runs: readonly (string | null)[]
  /**
   * The agent's cost in millionths of a US dollar: today, and on each of the previous 14 days that had a cost. The
   * previous days are left out if today's cost is too low for any rule.
   */
  cost: { today: number; before: readonly number[] }
  twoReporters: boolean
  /** The hours of the week in which the agent is expected to report; null means always. */
  hours: Hours | null
}

/** The level and the signs of an agent's last report. */
export type Reported = Pick<AlertFacts, 'level' | 'label' | 'signs'>

/**
 * The rules whose alerts have words that an agent chooses, apart from `item`. An agent may change them with every
 * report, so they are stored only with messages, and otherwise read when an alert is shown.
 */
export const labelled = {
  bad: ({ level, label }: Reported) => when(level === 'bad', label ?? undefined),
  warning: ({ level, label }: Reported) => when(level === 'warn', label ?? undefined),
  binding: ({ signs: { bindings } }: Reported) => when(bindings.length > 0, bindings.join(', ')),
  gauge: ({ signs: { gauges } }: Reported) => when(gauges.length > 0, gauges.join(', ')),
} as const satisfies Partial<Record<RuleName, (reported: Reported) => Finding>>

/** True if agents choose the words of this rule's alerts. */
export const isWordedByAgents = (name: RuleName): boolean => name === 'item' || name in labelled

const attempts = { rolled_back: 'was rolled back', failed: 'failed' } as const satisfies Record<
  Exclude<Outcome, 'ok'>,
  string
>

export interface Moment {
  now: number
  /** The end of the last outage of the service of more than 30 s; null if there was none recently. */
  backSince: number | null
}

/**
 * The condition of each rule about an agent. The rules `service`, `rollout` and `command` are missing, because they
 * have other subjects or are about single events; `item` is missing, because an agent may have many such alerts (see
 * items.ts).
 */
const ofAgent: Readonly<Partial<Record<RuleName, (agent: AlertFacts, rule: Rule, moment: Moment) => Finding>>> = {
  silent: silence,
  bad: labelled.bad,
  warning: labelled.warning,
  process: ({ signs, paused }) => when(signs.process !== null && !paused),
  status_stale: ({ statusStale }) => when(statusStale),
  disk: ({ diskFull }) => when(diskFull),
  binding: labelled.binding,
  update: ({ update }) => when(update !== null, update ? `${update.version} ${attempts[update.outcome]}` : undefined),
  run_failed: ({ runs }, { statuses }) => {
    const last = runs.slice(0, failedRuns)
    return when(last.length === failedRuns && last.every((status) => status !== null && statuses?.includes(status)))
  },
  run_long: ({ signs: { started } }, { after }, { now }) => longRun(started, after, now),
  cost_day: ({ cost }, rule) => costOfDay(cost.today, rule),
  cost_jump: ({ cost: { today, before } }) =>
    before.length >= minJumpDays && today > minJumpMicro && today > jumpFactor * median(before)
      ? { is: 'holds' }
      : notNow,
  gauge: labelled.gauge,
  two_reporters: ({ twoReporters }) => when(twoReporters),
}

/** The rules that are judged even while the agent sends no reports. */
export const silentAgentRules: readonly RuleName[] = ['silent', 'cost_day', 'cost_jump']

export const agentRules = Object.keys(ofAgent) as readonly RuleName[]

/** True if the agent has reported once but not within the expected time. */
export const isSilent = (
  { receivedAt, intervalSeconds }: Pick<AlertFacts, 'receivedAt' | 'intervalSeconds'>,
  now: number,
): boolean => receivedAt !== null && silentAt(receivedAt, intervalSeconds) <= now

/**
 * The rules whose alerts stay after a person has stopped the agent on its machine. The service knows their facts, and
 * people at the service or the clock end them. All others are judged by reports, of which none follows.
 */
const stayAfterStop: readonly RuleName[] = ['update', 'cost_day', 'cost_jump']

/** The rules that do not hold while an agent is paused, whatever it said before. */
const endWithPause: readonly RuleName[] = ['bad', 'warning', 'process', 'status_stale']

/** The finding of a rule that is judged by reports, for an agent that a person has stopped. */
export const closedByStop: Finding = { is: 'clear', because: 'stopped' }

/**
 * Judges a rule for an agent. While the agent is silent, most rules give `unknown`, so their alerts stay as they are.
 */
export function findInAgent(rule: Rule, agent: AlertFacts, moment: Moment): Finding {
  const find = ofAgent[rule.name]
  if (!find || !rule.on) return over
  if (agent.receivedAt === null) return clear
  const isStopped = agent.stopped === 'person'
  if (isStopped && !stayAfterStop.includes(rule.name)) return closedByStop
  if (!isStopped && isSilent(agent, moment.now) && !silentAgentRules.includes(rule.name)) return unknown
  const finding = find(agent, rule, moment)
  const isPaused = agent.label === pausedLabel && endWithPause.includes(rule.name)
  return isPaused && finding.is === 'clear' ? { is: 'clear', because: 'paused' } : finding
}

/** How long the condition of a rule must be gone before its alert ends. */
export const endsAfter = ({ name, after }: Pick<Rule, 'name' | 'after'>): number =>
  name === 'two_reporters' ? twoReportersEndMs : Math.min(after, maxEndMs)

/** False if no rule about costs can hold for an agent that has cost this much today. */
export function mayCostTooMuch(today: number, rules: (name: RuleName) => Rule): boolean {
  const day = rules('cost_day')
  return (rules('cost_jump').on && today > minJumpMicro) || (day.on && costOfDay(today, day).is === 'holds')
}

/**
 * Compares today's cost (UTC) of an agent or a workspace with the limit. The alert ends without a message when the day
 * ends or the limit is raised.
 */
export const costOfDay = (micro: number, { limit }: Pick<Rule, 'limit'>): Finding =>
  limit !== null && micro > limit ? { is: 'holds' } : notNow

export const findInRollout = ({ on }: Rule, { state }: { state: string }): Finding =>
  on ? when(state === 'halted') : over

/**
 * Judges whether an agent is silent, by the service's clock (D20). No agent counts as silent soon after an outage of
 * the service, or outside the hours in which the agent is expected to report.
 */
function silence({ receivedAt, intervalSeconds, hours }: AlertFacts, _rule: Rule, moment: Moment): Finding {
  const { now, backSince } = moment
  if (receivedAt === null) return clear
  const since = silentAt(receivedAt, intervalSeconds)
  if (now < since) return clear
  const judgedFrom = backSince === null ? since : backSince + Math.max(3 * intervalSeconds * 1000, minGraceMs)
  if (now < judgedFrom) return unknown
  // The time of the outage says nothing about the agent, so the rule's `after` does not count it.
  const from = Math.max(since, judgedFrom)
  if (hours === null) return { is: 'holds', from, since }
  const window = windowAt(hours, now)
  return window ? { is: 'holds', from: Math.max(from, window.from), since } : unknown
}

/**
 * Judges the earliest run in progress. A younger run does not count, so that runs which follow each other without a
 * break do not keep an alert open.
 */
function longRun(started: number | null, after: number, now: number): Finding {
  if (started === null) return clear
  const from = started * 1000
  if (now - Math.min(from, now) < after) return clear
  return from > now ? { is: 'holds' } : { is: 'holds', from }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = low] = sorted.length % 2 === 1 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}
