/** The groups in which the list and the map show agents, and the states in which the map shows them. */
import type { FleetRow } from '../answers/fleet.ts'
import { isOffline, levelOf } from './facts.ts'

/** The facts by which agents are grouped. */
export const groupings = ['tag', 'host', 'blueprint'] as const
export type Grouping = (typeof groupings)[number]

type GroupedFacts = Pick<FleetRow, 'tags' | 'host'> & { updates: Pick<FleetRow['updates'], 'blueprint'> }

/**
 * The values of the groups that an agent is in: all its tags, or its one host or blueprint. An agent that has none is
 * in the group null.
 */
export function groupValuesOf(by: Grouping, { tags, host, updates }: GroupedFacts): readonly (string | null)[] {
  if (by === 'tag') return tags.length > 0 ? tags : [null]
  return [(by === 'host' ? host : updates.blueprint) || null]
}

/** The states in which the map shows agents. Answers for the map name a state by its index in this list. */
export const mapStates = ['bad', 'offline', 'warn', 'info', 'ok', 'none', 'paused', 'stopped', 'never'] as const
type MapState = (typeof mapStates)[number]

type StateFacts = Pick<
  FleetRow,
  'level' | 'label' | 'statusLate' | 'secretsMissing' | 'stopped' | 'silentAt' | 'seenAt'
>

/** The state in which the map shows an agent: its level, or a state that matters more than the level. */
export function mapStateOf(agent: StateFacts, now: number): MapState {
  if (agent.seenAt === null) return 'never'
  if (agent.stopped !== null) return 'stopped'
  if (isOffline(agent, now)) return 'offline'
  const level = levelOf(agent) ?? 'none'
  return agent.label === 'Paused' && level !== 'bad' && level !== 'warn' ? 'paused' : level
}
