/** The facts about an agent that a filter reads, and the level and the state that lists show. */
import { type Level, worstLevel } from '@svc/protocol'
import type { FleetRow } from '../answers/fleet.ts'
import type { AgentUpdateSummary } from '../answers/updates.ts'

/** The facts about an agent that a filter reads. */
export type FilterFacts = Pick<
  FleetRow,
  | 'name'
  | 'level'
  | 'label'
  | 'detail'
  | 'doing'
  | 'version'
  | 'seenAt'
  | 'silentAt'
  | 'stopped'
  | 'statusLate'
  | 'secretsMissing'
  | 'host'
  | 'tags'
  | 'alerts'
  | 'controls'
  | 'costToday'
  | 'cost30'
> & {
  updates: Pick<
    AgentUpdateSummary,
    'blueprint' | 'wishState' | 'runtime' | 'runtimeWishState' | 'runtimeHeld' | 'runtimeOutdated'
  >
}

/**
 * The level that lists show: an agent whose status is too old (D65), or that lacks required secrets, is at least a
 * warning unless it was stopped.
 */
export const levelOf = ({
  level,
  statusLate,
  secretsMissing,
  stopped,
}: Pick<FleetRow, 'level' | 'statusLate' | 'secretsMissing' | 'stopped'>): Level | null =>
  (statusLate || secretsMissing) && stopped === null ? worstLevel([level ?? 'ok', 'warn']) : level

/**
 * True if an agent has stopped reporting, by the service's clock (D20). An agent that was stopped on purpose is shown
 * as stopped, not as offline (D66).
 */
export const isOffline = ({ silentAt, stopped }: Pick<FleetRow, 'silentAt' | 'stopped'>, now: number): boolean =>
  stopped === null && silentAt !== null && silentAt <= now
