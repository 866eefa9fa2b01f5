/**
 * The update of a blueprint (3.3) as a pure table; drive.ts carries out the steps. `fetching`: download the bundle.
 * `staging`: judge and unpack it, and link the state. `swapping`: make `current` lead to the new version. `proving`:
 * run it until its level is known and not bad. `watching`: roll back if it gets worse within 30 minutes. `undoing`:
 * make `current` lead to the version before. The event `killed` is a start after a kill (start.ts).
 */
import type { Outcome } from '@svc/protocol'

export const states = ['idle', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing'] as const
export type UpdateState = (typeof states)[number]
export type UpdateEvent =
  /**
   * The service wishes a version that must be downloaded first. While a version is watched, the wish must say `now`.
   */
  | 'wanted'
  /** The service wishes the previous version, which is on this machine. */
  | 'present'
  /** A person on this machine asks for a rollback to the previous version. */
  | 'asked'
  | 'done'
  /** The network, the service or the disk failed, so a later try may succeed (D26). */
  | 'unreachable'
  /** The bundle is at fault, so its version is put on hold (D26). */
  | 'refused'
  /**
   * The update was aborted before the swap: the service withdrew its wish (D31), a person on this machine made a
   * request, or the runtime ends.
   */
  | 'dropped'
  | 'worse'
  /** The 30 minutes for which a kept version is watched are over, or a person on this machine ended them. */
  | 'over'
  | 'killed'

// An update from `watching` that ends before the swap goes back to `watching`, not to `idle` (change.ts).
export const moves = {
  idle: { wanted: 'fetching', present: 'swapping', asked: 'undoing' },
  fetching: { done: 'staging', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  staging: { done: 'swapping', unreachable: 'idle', refused: 'idle', dropped: 'idle', killed: 'idle' },
  // After a kill, the trial starts only if `current` already leads to the new version. Otherwise the update ends
  // (start.ts).
  swapping: { done: 'proving', unreachable: 'idle', dropped: 'idle', killed: 'proving' },
  // After a kill the version gets one more trial. If that trial is killed, too, the version is rolled back.
  proving: { done: 'watching', worse: 'undoing', asked: 'undoing', killed: 'proving' },
  watching: {
    over: 'idle',
    wanted: 'fetching',
    present: 'swapping',
    worse: 'undoing',
    asked: 'undoing',
    killed: 'watching',
  },
  undoing: { done: 'idle', killed: 'undoing' },
} as const satisfies Record<UpdateState, Partial<Record<UpdateEvent, UpdateState>>>

/** The next state of an update after an event. If the table has no entry for the event, the state stays the same. */
export const move = (state: UpdateState, event: UpdateEvent): UpdateState =>
  (moves[state] as Partial<Record<UpdateEvent, UpdateState>>)[event] ?? state

/**
 * The outcome to report for an update that fails before the swap (3.3). `holds` is true if the version is put on hold,
 * because the bundle was at fault (D26).
 */
export const endOutcomes = {
  unreachable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
} as const satisfies Partial<Record<UpdateEvent, { outcome: Outcome; holds: boolean }>>
