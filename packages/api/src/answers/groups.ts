/** Answers about the agents of a workspace in groups. */
import type { Level } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'
import type { FleetCounts } from './fleet.ts'

/** A group of agents: those with the same tag, host or blueprint. */
export interface FleetGroup {
  /** The value that the agents of the group share; null for the group of agents that have none. */
  value: string | null
  agents: number
  /** The worst state of an agent in the group, as the list sorts them; null if none has a level. */
  worst: Level | 'offline' | null
  counts: Omit<FleetCounts, 'all'>
  /**
   * The costs of its agents today (UTC) in US dollars; null if no run named a cost. Missing in answers of earlier
   * builds.
   */
  costToday?: number | null
  /** The numbers of its agents in the states of `mapStates`, each agent once. Missing in answers of earlier builds. */
  states?: readonly number[]
}

/**
 * Groups of the agents that a filter selects, the worst and then the largest first; agents without a value come last.
 */
export interface FleetGroups extends LeftOff {
  /** The number of agents in all groups. An agent with several tags is in several groups, and counts once. */
  total: number
  groups: FleetGroup[]
}

/**
 * An agent on the map: its name, the index of its state in `mapStates`, and the indexes in `groups` of the groups that
 * it is in.
 */
export type MapSquare = readonly [name: string, state: number, ...groups: number[]]

/** The agents that a filter selects, each in a few bytes, in the order of their names. */
export interface FleetMap extends LeftOff {
  total: number
  /** The values of the groups in the order of `FleetGroups`; empty if the agents are not grouped. */
  groups: (string | null)[]
  squares: MapSquare[]
}
