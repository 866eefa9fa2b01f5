/** Groups of the states of rollouts. */
import type { RolloutState } from '@svc/api'

/** The states of rollouts that are neither done nor cancelled. */
export const unfinishedStates: readonly RolloutState[] = ['running', 'waiting', 'paused', 'halted']

/** True if a rollout runs, or waits until a person starts its next wave. */
export const isRolloutInProgress = (state: RolloutState): boolean => state === 'running' || state === 'waiting'
