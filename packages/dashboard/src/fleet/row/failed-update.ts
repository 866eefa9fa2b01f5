/** The failed updates that the list of agents marks. */
import type { AgentUpdateSummary, WishState } from '@svc/api'
import { updateWords } from '@svc/api/words'

/** An update that was rolled back, failed, or is on hold. */
interface FailedUpdate {
  is: 'rolled_back' | 'failed' | 'held'
  words: string
  /** The sentence about the update, such as `Version 1.2.0 could not be installed`. */
  says: string
}

const failureOrder = ['rolled_back', 'failed', 'held'] as const satisfies readonly WishState[]
const ends = {
  rolled_back: 'was tried and rolled back',
  failed: 'could not be installed',
  held: 'is on hold',
} as const

/** Returns the worse of the failed updates of an agent's blueprint and runtime; undefined if neither failed. */
export function failedUpdateOf({
  wished,
  wishState,
  runtimeWished,
  runtimeWishState,
  runtimeHeld,
}: Pick<AgentUpdateSummary, 'wished' | 'wishState' | 'runtimeWished' | 'runtimeWishState' | 'runtimeHeld'>):
  | FailedUpdate
  | undefined {
  for (const is of failureOrder) {
    if (wishState === is)
      return { is, words: updateWords[is], says: `${wished === null ? 'The update' : `Version ${wished}`} ${ends[is]}` }
    if (runtimeWishState === is || (is === 'held' && runtimeHeld))
      return {
        is,
        words: `runtime ${updateWords[is]}`,
        says: `${runtimeWished === null ? 'The served runtime version' : `Runtime ${runtimeWished}`} ${ends[is]}`,
      }
  }
  return undefined
}
