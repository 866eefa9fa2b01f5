/**
 * The update of a blueprint (3.3) as a table; the steps are files of this folder, drive.ts carries them out. Pure.
 *
 *   fetching  the bundle is downloaded
 *   staging   it is judged, unpacked beside the running version, and the state is linked into it
 *   swapping  `current` is renamed onto it
 *   proving   it runs, and has to report a level that is not bad
 *   watching  it is kept; for 30 minutes it goes back if it gets worse
 *   undoing   `current` goes back to the version before; outcome and hold are noted already
 *
 * `killed` is what the next start makes of it, before it has looked where `current` leads (start.ts).
 */
import type { Outcome } from '@svc/protocol'

export const states = ['idle', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing'] as const
export type UpdateState = (typeof states)[number]
export type UpdateEvent =
  | 'wanted' // the service names another version
  | 'present' // it names the one before, which lies here
  | 'asked' // a person on this machine wants the one before
  | 'done'
  | 'unreachable' // transient: the network, the service, the disk (D26)
  | 'refused' // a verdict about the bundle (D26)
  | 'dropped' // the wish was taken back (D31)
  | 'worse'
  | 'over' // the 30 minutes
  | 'killed'

export const moves = {
  idle: { wanted: 'fetching', present: 'swapping', asked: 'undoing' },
  fetching: { done: 'staging', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  staging: { done: 'swapping', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  swapping: { done: 'proving', unreachable: 'idle', dropped: 'idle', killed: 'proving' }, // killed: `current` new
  proving: { done: 'watching', worse: 'undoing', asked: 'undoing', killed: 'proving' }, // killed: once, then undoing
  watching: { over: 'idle', present: 'swapping', worse: 'undoing', asked: 'undoing', killed: 'watching' },
  undoing: { done: 'idle', killed: 'undoing' },
} as const satisfies Record<UpdateState, Partial<Record<UpdateEvent, UpdateState>>>

/** What an event makes of a state; the same state where the table has nothing to say. */
export const move = (state: UpdateState, event: UpdateEvent): UpdateState =>
  (moves[state] as Partial<Record<UpdateEvent, UpdateState>>)[event] ?? state

/** What is reported of an update that ends without a swap (3.3): a verdict is held, the fault of a machine or a network is not (D26). */
export const ends = {
  unreachable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
} as const satisfies Partial<Record<UpdateEvent, { outcome: Outcome; holds: boolean }>>
