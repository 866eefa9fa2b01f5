/**
 * The update of a blueprint (3.3) as a pure table; drive.ts carries out the steps. `fetching` downloads the bundle,
 * `staging` judges it, unpacks it beside the running version and links the state, `swapping` renames `current` onto it,
 * `proving` runs it until it reports a level that is not bad, `watching` rolls back if it gets worse within 30 minutes,
 * and `undoing` puts `current` back after outcome and hold were noted. `killed` is what the next start does before it
 * checks where `current` leads (start.ts).
 */
import type { Outcome } from '@svc/protocol'

export const states = ['idle', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing'] as const
export type UpdateState = (typeof states)[number]
export type UpdateEvent =
  | 'wanted' // the service names another version
  | 'present' // it names the previous version, which is on this machine
  | 'asked' // a person on this machine asks for the previous version
  | 'done'
  | 'unreachable' // transient: the network, the service, the disk (D26)
  | 'refused' // a verdict about the bundle (D26)
  | 'dropped' // the wish was withdrawn (D31)
  | 'worse'
  | 'over' // the 30 minutes have passed
  | 'killed'

export const moves = {
  idle: { wanted: 'fetching', present: 'swapping', asked: 'undoing' },
  fetching: { done: 'staging', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  staging: { done: 'swapping', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  swapping: { done: 'proving', unreachable: 'idle', dropped: 'idle', killed: 'proving' }, // killed: `current` leads to the new version
  proving: { done: 'watching', worse: 'undoing', asked: 'undoing', killed: 'proving' }, // killed: proved once more, then undone
  watching: { over: 'idle', present: 'swapping', worse: 'undoing', asked: 'undoing', killed: 'watching' },
  undoing: { done: 'idle', killed: 'undoing' },
} as const satisfies Record<UpdateState, Partial<Record<UpdateEvent, UpdateState>>>

/** The next state after an event; the same state if the table has no entry. */
export const move = (state: UpdateState, event: UpdateEvent): UpdateState =>
  (moves[state] as Partial<Record<UpdateEvent, UpdateState>>)[event] ?? state

/**
 * The outcome to report for an update that ends without a swap (3.3). A verdict holds the version, a fault of a machine
 * or a network does not (D26).
 */
export const ends = {
  unreachable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
} as const satisfies Partial<Record<UpdateEvent, { outcome: Outcome; holds: boolean }>>
