/** Answers about what the agents of a workspace cost. Costs are in US dollars, and days and weeks are those of UTC. */

/** A split of costs: there is a sum for each agent, model or blueprint. */
export type CostSplit = 'agent' | 'model' | 'blueprint'
/** The period that one sum is about. Weeks begin on Monday. */
export type CostStep = 'day' | 'week' | 'month'

/** The sums of runs, costs and tokens. */
export interface CostSums {
  /** The number of runs; null per model, because a run may use several. */
  runs: number | null
  cost: number
  /** The tokens of all answers; null per model, because agents report them for a whole run. */
  outputTokens: number | null
}

/** The sums of one agent, model or blueprint, or of all, for one day, week or month. */
export interface CostRow extends CostSums {
  /** The first day of the period, such as `2026-11-21`. */
  from: string
  /**
   * The agent, model or blueprint; null for runs that have none, and for the sums of everything. The sums of deleted
   * agents have the name `(deleted)` per agent and per blueprint; per model they keep the model.
   */
  name: string | null
}

/** The sums of a workspace as the page shows them. */
export interface CostPage {
  /** The first and the last day. */
  from: string
  to: string
  total: CostSums
  /** The days, weeks or months, oldest first, also those without a cost. */
  columns: readonly CostColumn[]
  /** The most expensive agents, models or blueprints; the name null stands for runs that have none. */
  names: readonly NamedCosts[]
  /** The sums of all names that are not in the list, and their number. */
  others: CostSums & { count: number }
  /** The number of deleted agents that had runs in this time. */
  deletedAgents: number
  /**
   * The limit of the rule `cost_day` in US dollars; null if the rule is off, has no limit, or is only for some agents.
   */
  limit: number | null
}

/** The sums of one agent, model or blueprint. */
export interface NamedCosts extends CostSums {
  name: string | null
  /** True for the sums of deleted agents, so that a model that is called `(deleted)` is not taken for them. */
  deleted: boolean
}

interface CostColumn {
  from: string
  cost: number
  /** The costs of the first names of the list, in their order. The rest of `cost` belongs to all other names. */
  parts: readonly number[]
}

/** An expensive run. */
export interface CostRun {
  agent: string
  id: string
  /** When the run started, or was first reported, in Unix milliseconds. */
  at: number
  kind: string | null
  /** The title of its first subject, such as the name of an AI session. Absent in answers of earlier builds. */
  subject?: string | null
  status: string | null
  cost: number
  outputTokens: number | null
}
