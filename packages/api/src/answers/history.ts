/** Answers about the past: the states of agents, and what changed. Times are Unix milliseconds. */
import type { Level, SettingValue } from '@svc/protocol'

/**
 * The state of an agent at a time. It is `unknown` before the agent's first report, more than 400 days ago, and while
 * the service was down. If several states apply, the one that comes last in this type counts.
 */
export type AgentState = 'reporting' | 'paused' | 'offline' | 'stopped' | 'unknown'

/** A span of time in which an agent had one state and level. An agent that is offline keeps its last level. */
export interface StateSpan {
  from: number
  until: number
  is: AgentState
  level: Level | null
  label: string | null
}

/** The state of an agent at a given time. */
export interface PastAgentState {
  name: string
  is: AgentState
  level: Level | null
  label: string | null
}

/**
 * The states of agents in the last 24 hours, for the strips of the list. Each text has the agent's states from `from`
 * to `until`, as `stripText` writes them.
 */
export interface StateStrips {
  from: number
  until: number
  /** The texts by the names of the agents. A name that no agent has is left out. */
  strips: Record<string, string>
}

/** The kinds of changes in the history of an agent; `service` is an outage of the service. */
export const changeKinds = [
  'level',
  'paused',
  'offline',
  'service',
  'version',
  'update',
  'setting',
  'command',
  'run',
  'alert',
] as const
type ChangeKind = (typeof changeKinds)[number]

/** A change in the history of an agent. A pause, a time offline and an outage have an entry at each end. */
export interface HistoryChange {
  at: number
  what: ChangeKind
  from: SettingValue
  to: SettingValue
  /**
   * The label of a level, who stopped the agent, the subject and kind of an update such as `blueprint kept`, the key of
   * a setting, the type of a command, the id of a run, or the rule of an alert; null for other changes.
   */
  text: string | null
  /** The id of the command, run, alert or rollout; null for other changes. */
  id: string | null
}

/** The seconds that an agent spent in each state. While it reports, its state is its level, or `none` without one. */
export type TimeShares = Record<Level | 'none' | Exclude<AgentState, 'reporting'>, number>

/** An agent over a longer time, in steps of `step` seconds. Each list has an item for each step, or is empty. */
export interface AgentTrend {
  from: number
  until: number
  step: number
  /** Always empty, because gauges are not stored over time. */
  gauges: { name: string; points: ([min: number, mean: number, max: number] | null)[] }[]
  /** The time that the agent spent in each state. */
  time: TimeShares[]
  /** The runs of each day; null for a day without runs. Empty for steps below a day. */
  usage: ({ runs: number; cost: number; outputTokens: number } | null)[]
}
