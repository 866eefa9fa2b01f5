/** Answers about the agents of a workspace in groups. */
import type { Level } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'
import type { FleetCounts } from './fleet.ts'

/** A group of agents: those with the same tag, host or blueprint. */
export interface FleetGroup {
  /** The value that the agents of the group share; null for the group of agents that have none. */
  value: string | null
  agents: number
  /** The worst state of an agent in the group; null if no agent has a level or is offline. */
  worst: Level | 'offline' | null
  counts: Omit<FleetCounts, 'all'>
  /** The costs of today (UTC) in US dollars; null if there are none. Missing in answers of earlier builds. */
  costToday?: number | null
  /** The number of its agents in each state of `mapStates`, in that order. Missing in answers of earlier builds. */
  states?: readonly number[]
}

/** The groups of the agents that a filter selects, the worst first, then the largest. The value null comes last. */
export interface FleetGroups extends LeftOff {
  /** The number of agents in all groups. An agent with several tags is in several groups, and counts once. */
  total: number
  groups: FleetGroup[]
}

/** An agent on the map. `state` is an index in `mapStates`, and `groups` are indexes in the groups of the map. */
export type MapSquare = readonly [name: string, state: number, ...groups: number[]]

/** The agents that a filter selects, each in a few bytes, in the order of their names. */
export interface FleetMap extends LeftOff {
  total: number
  /** The values of the groups in the order of `FleetGroups`; empty if the agents are not grouped. */
  groups: (string | null)[]
  squares: MapSquare[]
}
