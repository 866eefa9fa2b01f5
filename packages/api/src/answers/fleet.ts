/** Answers about all agents of a workspace: their list with its counts, and the frames that keep it up to date. */
import type { Level, StoppedBy } from '@svc/protocol'
import type { AgentUpdateSummary } from './updates.ts'

/** Times and warnings that show how an agent is doing. The fleet list and the page of the agent have them. */
export interface AgentStatusFacts {
  /** When the agent last reported; null if it never has. */
  seenAt: number | null
  /** When the agent is offline if no report comes, by the service's clock (D20); null before its first report. */
  silentAt: number | null
  /** Who stopped the agent on its machine, if the last report was sent at a clean stop (D66); otherwise null. */
  stopped: StoppedBy | null
  /** When the agent wrote its status file, by its machine's clock (D65); null if its reports do not say. */
  statusAt: number | null
  /** True if the agent's status file is older than usual, so that the page shows its age (D67). */
  statusOld: boolean
  /** True if the agent has not written its status file for too long (D65). */
  statusLate: boolean
  /** True if the agent lacks secrets that its version requires. */
  secretsMissing: boolean
}

/** One row of the fleet list, the same in lists and in frames. */
export interface FleetRow extends AgentStatusFacts {
  name: string
  level: Level | null
  label: string | null
  detail: string | null
  doing: string | null
  version: string | null
  /** The name of the agent's machine, as its last report gives it; null if the report names none. */
  host: string | null
  /** The tags that admins gave to the agent, sorted. */
  tags: readonly string[]
  /** The numbers of the agent's open alerts: `open` ones that nobody has acknowledged, and acknowledged ones. */
  alerts: { open: number; acknowledged: number }
  controls: ('pause' | 'resume' | 'run_now')[]
  /** The costs of the agent's runs in US dollars, of today (UTC) and of the last 30 days; null if there are none. */
  costToday: number | null
  cost30: number | null
  updates: AgentUpdateSummary
}
export type FleetSort = 'name' | 'level' | 'seen' | 'cost_today' | 'cost_30' | 'version'
/** An order of the list of agents; with `-` in front it is descending. */
export type FleetOrder = FleetSort | `-${FleetSort}`
/** A column of the list of agents. The agent's name is always shown. */
export type FleetColumn =
  | 'state'
  | 'day'
  | 'doing'
  | 'tags'
  | 'host'
  | 'blueprint'
  | 'seen'
  | 'today'
  | 'month'
  | 'version'
  | 'runtime'
/** The number of agents in each state that a chip of the list stands for. */
export type FleetCounts = Record<Level | 'silent' | 'stopped' | 'never' | 'all', number>
/** The problems of the whole workspace, without any filter. An agent may count in several of these numbers. */
export interface ProblemCounts extends Pick<FleetCounts, 'bad' | 'silent' | 'warn' | 'stopped' | 'never'> {
  /**
   * The number of agents that have reported, but no level. Agents that were stopped are counted neither here nor in
   * `late`.
   */
  noLevel: number
  /** The number of agents whose status is too old (D65). */
  late: number
  /** The numbers of agents whose last update was rolled back, failed, or is on hold. Each agent counts once. */
  rolledBack: number
  failed: number
  held: number
  /** The number of rollouts that halted. */
  halted: number
}
/** A part of the list of agents, with the counts of the whole list. */
export interface Fleet {
  now: number
  /**
   * The number of agents that match the request. `rows` has at most 200 of these agents, starting at the request's
   * `offset`.
   */
  total: number
  /** The number of agents in the whole workspace. */
  of: number
  rows: FleetRow[]
  /** The number of agents that each chip would select in place of the filter's `level:` and `is:` terms. */
  counts: FleetCounts
  standing: ProblemCounts
  /** True if the costs of a large fleet are not read yet. All costs are then null, and a frame follows with them. */
  costsPending?: true
  costToday: number | null
  cost30: number | null
  /** The negated terms that exclude no agent, each by its place in the filter; missing if there are none. */
  idle?: FilterPlace[]
}

/** A part of the text of a filter in UTF-16 units. */
export interface FilterPlace {
  at: number
  length: number
}

/** The most frequent values among the agents that a filter selects, at most 20 of each kind. */
export type FleetFacets = Record<'tag' | 'host' | 'blueprint' | 'version', { value: string; agents: number }[]>
/** The names of the agents that a filter selects, at most 10,000, and the number of all that it selects. */
export interface FleetNames {
  names: string[]
  total: number
}

/** One message to the open pages of a workspace (event `frame`). */
export interface LiveFrame {
  now: number
  /** The agents that have reported since the last frame. */
  rows: FleetRow[]
  /** The names of agents with other changes, such as commands or logs, and of reporting agents without a row here. */
  changed: string[]
  /** True if lists other than the alerts may have changed, for example because an agent was added or renamed. */
  list: boolean
  /** True if alerts, their rules, channels or mutes may have changed since the last frame. */
  alerts: boolean
  /** True if `rows` and `changed` have only agents whose page is open. Pages then request the fleet list again. */
  more: boolean
}
