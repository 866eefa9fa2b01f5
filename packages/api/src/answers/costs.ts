/** Answers about what the agents of a workspace cost. Costs are in US dollars, and days and weeks are those of UTC. */

/** A split of costs: there is a sum for each agent, model or blueprint. */
export type CostSplit = 'agent' | 'model' | 'blueprint'
/** The period that one sum is about. Weeks begin on Monday. */
export type CostStep = 'day' | 'week' | 'month'

/** The sums of runs, costs and tokens. */
export interface CostSums {
  /** The number of runs; null in a split by model, because a run may use several models. */
  runs: number | null
  cost: number
  /** The output tokens; null in a split by model, because agents report them for a whole run. */
  outputTokens: number | null
}

/** The sums of one agent, model or blueprint, or of all, for one day, week or month. */
export interface CostRow extends CostSums {
  /** The first day of the period, such as `2026-11-21`. */
  from: string
  /**
   * The agent, model or blueprint; null for runs that have none, and for the sums of everything. Deleted agents have
   * the name `(deleted)`, except in a split by model.
   */
  name: string | null
}

/** The sums of a workspace as the page shows them. */
export interface CostPage {
  /** The first and the last day. */
  from: string
  to: string
  total: CostSums
  /** The days, weeks or months, oldest first, including those without a cost. */
  columns: readonly CostColumn[]
  /** The most expensive agents, models or blueprints. */
  names: readonly NamedCosts[]
  /** The sums of all names that are not in `names`, and the number of these names. */
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
  /** Null for runs that have no agent, model or blueprint. */
  name: string | null
  /** True for the sums of deleted agents. `name` cannot tell, since a model may be named `(deleted)`, too. */
  deleted: boolean
}

interface CostColumn {
  from: string
  cost: number
  /** The costs of the first few of `names`, in their order. The rest of `cost` belongs to all other names. */
  parts: readonly number[]
}

/** An expensive run. */
export interface CostRun {
  agent: string
  id: string
  /** When the run started, or was first reported, in Unix milliseconds. */
  at: number
  kind: string | null
  /** The title of the run's first subject, such as the name of an AI session. Absent in answers of earlier builds. */
  subject?: string | null
  status: string | null
  cost: number
  outputTokens: number | null
}
