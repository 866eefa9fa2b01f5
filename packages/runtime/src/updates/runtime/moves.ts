/**
 * One attempt to update the runtime (3.5), up to the swap, as a pure table. `fetching`: download the file and its
 * signature. `checking`: compare checksums and versions; if they differ, fetch once more (D37). `verifying`: check the
 * signature. `proving`: start the file in a separate process. `swapping`: ask the launcher to put the file in place.
 * The event `killed` is a start after a kill.
 */
import type { Outcome } from '@svc/protocol'

export type SelfUpdateState = 'idle' | 'fetching' | 'checking' | 'verifying' | 'proving' | 'swapping'
/**
 * The result of a step. `differs`: the checksum or the version is not the expected one; `unable`: this machine cannot
 * do the step; `falls`: the new file does not start; `dropped`: the wish was withdrawn, or the runtime is being
 * stopped.
 */
export type SelfUpdateEvent = 'done' | 'unreachable' | 'differs' | 'refused' | 'unable' | 'falls' | 'dropped' | 'killed'

const idle = 'idle'
export const moves = {
  fetching: { done: 'checking', unreachable: idle, refused: idle, unable: idle, dropped: idle, killed: idle },
  checking: { done: 'verifying', differs: 'fetching', refused: idle, unable: idle, dropped: idle, killed: idle },
  verifying: { done: 'proving', refused: idle, unable: idle, dropped: idle, killed: idle },
  proving: { done: 'swapping', falls: idle, unable: idle, dropped: idle, killed: idle },
  swapping: { done: idle, unable: idle, dropped: idle, killed: idle },
} as const satisfies Record<Exclude<SelfUpdateState, 'idle'>, Partial<Record<SelfUpdateEvent, SelfUpdateState>>>

export function move(state: Exclude<SelfUpdateState, 'idle'>, event: SelfUpdateEvent): SelfUpdateState {
  return (moves[state] as Partial<Record<SelfUpdateEvent, SelfUpdateState>>)[event] ?? idle
}

/**
 * The outcome to report for an attempt that ended without a swap (3.3, 3.5); nothing is reported after `dropped`.
 * `holds` is true if the version is put on hold, because the file was at fault (D35).
 */
export const endOutcomes = {
  unreachable: { outcome: 'failed', holds: false },
  unable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
  differs: { outcome: 'failed', holds: true },
  falls: { outcome: 'rolled_back', holds: true },
} as const satisfies Partial<Record<SelfUpdateEvent, { outcome: Outcome; holds: boolean }>>
