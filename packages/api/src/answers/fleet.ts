/** Answers about all agents of a workspace: their list with its counts, and the frames that keep it up to date. */
import type { Level, StoppedBy } from '@svc/protocol'
import type { AgentUpdateSummary } from './updates.ts'

/** Times and warnings that show how an agent is doing. The fleet list and the page of the agent have them. */
export interface AgentStatusFacts {
  /** When the agent last reported; null if it never has. */
  seenAt: number | null
  /**
   * When the agent counts as offline unless it reports before, by the service's clock (D20); null if it has never
   * reported.
   */
  silentAt: number | null
  /**
   * Who stopped the agent on its machine, a person or a signal, if its last report was sent at a clean stop (D66); null
   * otherwise, also for an agent that went offline without such a report.
   */
  stopped: StoppedBy | null
  /** When the agent wrote its status file, by its machine's clock (D65); null if its reports do not say. */
  statusAt: number | null
  /** True if the agent's status file is older than usual. The page then shows the age of what the file says (D67). */
  statusOld: boolean
  /** True if the agent has not written its status file for too long (D65). */
  statusLate: boolean
  /** True if the agent lacks secrets that its version requires. */
  secretsMissing: boolean
}

/** One row of the fleet list. It has few fields, and the same fields in lists and in frames. */
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
  /** The numbers of the agent's alerts that have not ended: those that nobody acknowledged, and the others. */
  alerts: { open: number; acknowledged: number }
  controls: ('pause' | 'resume' | 'run_now')[]
  /**
   * The costs of the agent's runs in US dollars, of today (UTC) and of the last 30 days; null if no run named a cost.
   */
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
/** The number of agents in each level and in each other state that a chip stands for. */
export type FleetCounts = Record<Level | 'silent' | 'stopped' | 'never' | 'all', number>
/**
 * The problems of the whole workspace, whatever the request filters. An agent may count in several of these numbers.
 */
export interface ProblemCounts extends Pick<FleetCounts, 'bad' | 'silent' | 'warn' | 'stopped' | 'never'> {
  /**
   * The number of agents that have reported, but no level. Agents that were stopped are counted neither here nor in
   * `late`.
   */
  noLevel: number
  /** The number of agents whose status is too old (D65). */
  late: number
  /** The numbers of agents whose last update was rolled back, failed, or is on hold. */
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
  /**
   * For each chip of the list: the number of agents that a press on it would show, that is, with its term in place of
   * the `level:` and `is:` terms of the filter. `all` is without such a term.
   */
  counts: FleetCounts
  standing: ProblemCounts
  /**
   * True if the costs of a large fleet are not read yet, because nobody asked for them in the last minutes. All costs
   * are then null. A frame follows when they are read.
   */
  costsPending?: true
  costToday: number | null
  cost30: number | null
  /** The places of the terms that exclude no agent of the workspace, although they are negated. Missing if none. */
  idle?: FilterPlace[]
}

/** A part of the text of a filter in UTF-16 units. */
export interface FilterPlace {
  at: number
  length: number
}

/** The most frequent values among the agents that a filter selects, at most 20 of each kind. */
export type FleetFacets = Record<'tag' | 'host' | 'blueprint' | 'version', { value: string; agents: number }[]>
/** The names of agents that a filter selects, at most 10,000. `total` is the number of all that it selects. */
export interface FleetNames {
  names: string[]
  total: number
}

/**
 * One message to the open pages of a workspace (event `frame`). `rows` are the agents that have reported since the last
 * frame. If these are too many, `more` is true, `rows` has only agents whose page is open, and pages request the fleet
 * list again.
 */
export interface LiveFrame {
  now: number
  rows: FleetRow[]
  /**
   * The names of agents about which something other than the last report changed, such as their commands, logs or
   * names, and of agents that reported but have no row in this frame.
   */
  changed: string[]
  /**
   * True if something that lists show was changed, or if such a change may have been missed: agents were added, renamed
   * or deleted, or blueprints, codes, bots, rollouts, members or activations changed. Pages then request their lists
   * again.
   */
  list: boolean
  /** True if alerts, their rules, channels or mutes changed since the last frame. */
  alerts: boolean
  more: boolean
}
