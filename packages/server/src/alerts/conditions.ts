/**
 * The conditions that alerts are about, as a table: the defaults of each rule, and whether it holds for one subject. They are
 * judged from state in the database, never from a stream of events, so nothing is missed while the service is away.
 */
import type { AlertLevel, RuleName } from '@svc/api'
import type { Level, Outcome, Stop } from '@svc/protocol'
import { silentAt } from '../limits/silent.ts'
import { type Hours, windowAt } from './hours.ts'

const minute = 60_000
const hour = 60 * minute
/** The shortest time for which nobody counts as silent after the service was away. */
const minGraceMs = 3 * minute
/** The number of runs in a row that must have failed. */
const failedRuns = 3
const jumpFactor = 3
const minJumpMicro = 1_000_000
/** An alert ends when its condition has been gone for as long as it had to hold, and at most for this long. */
const maxEndMs = 2 * minute
/** Two reporters are noticed by the last ten reports: when these are of one again, the other has been quiet for about five minutes. */
const twoReportersEndMs = 5 * minute
/** Days with a cost that an agent needs before a day can stand out. */
const minJumpDays = 3

/** A rule of a workspace. Times are milliseconds, costs millionths of a US dollar. */
export interface Rule {
  name: RuleName
  on: boolean
  /** How long the condition must hold before the alert opens. */
  after: number
  level: AlertLevel
  limit: number | null
  statuses: readonly string[] | null
  /** An open, unacknowledged alert of the level bad is sent again. */
  reminds: boolean
}

type Defaults = Pick<Rule, 'on' | 'after' | 'level'> & Partial<Pick<Rule, 'limit' | 'statuses'>>

const defaults: Readonly<Record<RuleName, Defaults>> = {
  silent: { on: true, after: 10 * minute, level: 'bad' },
  bad: { on: true, after: 2 * minute, level: 'bad' },
  warning: { on: false, after: 30 * minute, level: 'warn' },
  process: { on: true, after: 2 * minute, level: 'bad' },
  status_stale: { on: true, after: 0, level: 'warn' },
  binding: { on: true, after: 10 * minute, level: 'warn' },
  update: { on: true, after: 0, level: 'bad' },
  rollout: { on: true, after: 0, level: 'bad' },
  command: { on: false, after: 0, level: 'warn' },
  run_failed: { on: false, after: 0, level: 'bad', statuses: ['failed', 'error'] },
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

/** The result of one look at the state, for one rule and one subject. */
export type Finding =
  /** `from`: when it began, where that is known; `after` counts from there. `since`: what people are told, where it differs. */
  | { is: 'holds'; from?: number; since?: number; label?: string }
  | { is: 'clear' }
  /** Nothing can be said now: the alert stays as it is. */
  | { is: 'unknown' }
  /** The condition no longer applies: an alert ends at once and without a message. */
  | { is: 'over' }

const clear: Finding = { is: 'clear' }
const unknown: Finding = { is: 'unknown' }
const over: Finding = { is: 'over' }
const when = (holds: boolean, label?: string): Finding =>
  holds ? { is: 'holds', ...(label !== undefined && { label }) } : clear

/** The facts that only the body of a report has. */
export interface Signs {
  /** The level of the health item `Process`, where it is warn or bad. */
  process: 'warn' | 'bad' | null
  /** Products whose binding is bad. */
  bindings: readonly string[]
  /** Gauges at or above their mark. */
  gauges: readonly string[]
  /** The earliest start of an active run, Unix seconds as reported. */
  started: number | null
}

export interface AlertFacts {
  /** Null: it never reported. */
  receivedAt: number | null
  intervalSeconds: number
  stopped: Stop | null
  paused: boolean
  level: Level | null
  label: string | null
  /** The status file is more than ten minutes old, and too old (D65). */
  statusStale: boolean
  signs: Signs
  /** The attempt that ended last and badly, while it still counts. */
  update: { version: string; outcome: Exclude<Outcome, 'ok'> } | null
  /** The statuses of the last runs that ended, newest first. */
  runs: readonly (string | null)[]
  /** Millionths of a US dollar: today, and on each of the last 14 days that had a cost. */
  cost: { today: number; before: readonly number[] }
  twoReporters: boolean
  /** When it is expected to report; null: always. */
  hours: Hours | null
}

const attempts = { rolled_back: 'was rolled back', failed: 'failed' } as const satisfies Record<
  Exclude<Outcome, 'ok'>,
  string
>

export interface Moment {
  now: number
  /** The end of the last time the service was away for more than 30 s. */
  backSince: number | null
}

/** The conditions of an agent. `service`, `rollout` and `command` are about something else or happen only once. */
const ofAgent: Readonly<Partial<Record<RuleName, (agent: AlertFacts, rule: Rule, moment: Moment) => Finding>>> = {
  silent: silence,
  bad: ({ level, label }) => when(level === 'bad', label ?? undefined),
  warning: ({ level, label }) => when(level === 'warn', label ?? undefined),
  process: ({ signs, paused, stopped }) => when(signs.process !== null && !paused && stopped !== 'person'),
  status_stale: ({ statusStale }) => when(statusStale),
  binding: ({ signs: { bindings } }) => when(bindings.length > 0, bindings.join(', ')),
  update: ({ update }) => when(update !== null, update ? `${update.version} ${attempts[update.outcome]}` : undefined),
  run_failed: ({ runs }, { statuses }) => {
    const last = runs.slice(0, failedRuns)
    return when(last.length === failedRuns && last.every((status) => status !== null && statuses?.includes(status)))
  },
  run_long: ({ signs: { started } }, _rule, { now }) =>
    started === null ? clear : { is: 'holds', from: Math.min(started * 1000, now) },
  cost_day: ({ cost }, rule) => costOfDay(cost.today, rule),
  cost_jump: ({ cost: { today, before } }) =>
    before.length >= minJumpDays && today > minJumpMicro && today > jumpFactor * median(before)
      ? { is: 'holds' }
      : over,
  gauge: ({ signs: { gauges } }) => when(gauges.length > 0, gauges.join(', ')),
  two_reporters: ({ twoReporters }) => when(twoReporters),
}

/** Rules that do not depend on the agent still reporting. */
const evenWhileSilent: readonly RuleName[] = ['silent', 'cost_day', 'cost_jump']

export const agentRules = Object.keys(ofAgent) as readonly RuleName[]

/** The finding of a rule about an agent. While the agent is silent, other alerts stay as they are. */
export function findInAgent(rule: Rule, agent: AlertFacts, moment: Moment): Finding {
  const find = ofAgent[rule.name]
  if (!find || !rule.on) return over
  if (agent.receivedAt === null) return clear
  const reports = silentAt(agent.receivedAt, agent.intervalSeconds) > moment.now
  if (reports || evenWhileSilent.includes(rule.name)) return find(agent, rule, moment)
  return rule.name === 'process' && agent.stopped === 'person' ? clear : unknown
}

/** How long a condition must be gone before its alert ends. */
export const endsAfter = ({ name, after }: Pick<Rule, 'name' | 'after'>): number =>
  name === 'two_reporters' ? twoReportersEndMs : Math.min(after, maxEndMs)

/** The cost of a day (UTC) of an agent or of a workspace. It ends without a message, with the day or with a higher limit. */
export const costOfDay = (micro: number, { limit }: Pick<Rule, 'limit'>): Finding =>
  limit !== null && micro > limit ? { is: 'holds' } : over

export const findInRollout = ({ on }: Rule, { state }: { state: string }): Finding =>
  on ? when(state === 'halted') : over

/**
 * D20, by the service's clock. Nobody is called silent soon after the service was away, after a person stopped the agent, or
 * outside of the hours in which the agent is expected.
 */
function silence({ receivedAt, intervalSeconds, stopped, hours }: AlertFacts, _rule: Rule, moment: Moment): Finding {
  const { now, backSince } = moment
  if (receivedAt === null || stopped === 'person') return clear
  const since = silentAt(receivedAt, intervalSeconds)
  if (now < since) return clear
  if (backSince !== null && now < backSince + Math.max(3 * intervalSeconds * 1000, minGraceMs)) return unknown
  if (hours === null) return { is: 'holds', from: since, since }
  const window = windowAt(hours, now)
  return window ? { is: 'holds', from: Math.max(since, window.from), since } : unknown
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = low] = sorted.length % 2 === 1 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}
