/**
 * The update of a blueprint (3.3) as a pure table; drive.ts carries out the steps. `fetching` downloads the bundle,
 * `staging` judges it, unpacks it beside the running version and links the state, `swapping` renames `current` onto it,
 * `proving` runs it until it reports a level that is not bad, `watching` rolls back if it gets worse within 30 minutes,
 * and `undoing` puts `current` back after outcome and hold were noted. `killed` stands for a start after a kill;
 * start.ts also checks where `current` leads.
 */
import type { Outcome } from '@svc/protocol'

export const states = ['idle', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing'] as const
export type UpdateState = (typeof states)[number]
export type UpdateEvent =
  | 'wanted' // the service wishes another version
  | 'present' // the service wishes the previous version, which is on this machine
  | 'asked' // a person on this machine asks for the previous version
  | 'done'
  | 'unreachable' // the network, the service or the disk failed, which may pass (D26)
  | 'refused' // the bundle is at fault (D26)
  | 'dropped' // the wish was withdrawn (D31)
  | 'worse'
  | 'over' // the 30 minutes of watching are over
  | 'killed'

export const moves = {
  idle: { wanted: 'fetching', present: 'swapping', asked: 'undoing' },
  fetching: { done: 'staging', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  staging: { done: 'swapping', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  // a kill leads to `proving` only if `current` leads to the new version already; otherwise the update ends (start.ts)
  swapping: { done: 'proving', unreachable: 'idle', dropped: 'idle', killed: 'proving' },
  // after a kill: one more proof, and if that one is killed too, a rollback
  proving: { done: 'watching', worse: 'undoing', asked: 'undoing', killed: 'proving' },
  watching: { over: 'idle', present: 'swapping', worse: 'undoing', asked: 'undoing', killed: 'watching' },
  undoing: { done: 'idle', killed: 'undoing' },
} as const satisfies Record<UpdateState, Partial<Record<UpdateEvent, UpdateState>>>

/** The next state after an event. If the table has no entry, the state stays the same. */
export const move = (state: UpdateState, event: UpdateEvent): UpdateState =>
  (moves[state] as Partial<Record<UpdateEvent, UpdateState>>)[event] ?? state

/**
 * The outcome to report for an update that ends without a swap (3.3). If the bundle was at fault, the version is put on
 * hold; after a fault of a machine or a network it is not (D26).
 */
export const ends = {
  unreachable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
} as const satisfies Partial<Record<UpdateEvent, { outcome: Outcome; holds: boolean }>>
