/**
 * One attempt to update the runtime (3.5) as a pure table, up to the swap. The states: `fetching` downloads the file
 * and its signature, in up to three tries; `checking` compares checksums and the version inside, and fetches once more
 * after 60 s if they differ (D37); `verifying` checks the signature; `proving` starts the file in a separate process;
 * `swapping` asks the launcher. `killed` stands for a start after a kill. Before the swap nothing has changed. After
 * it, runtime.json names the trial.
 */
import type { Outcome } from '@svc/protocol'

export type SelfUpdateState = 'idle' | 'fetching' | 'checking' | 'verifying' | 'proving' | 'swapping'
/**
 * The result of a step. `differs`: the checksum or the version is not the expected one; `unable`: this machine cannot
 * do the step; `falls`: the new file does not start; `dropped`: the wish was withdrawn.
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
 * The outcome to report for an attempt that ended without a swap (3.3, 3.5). If the file was at fault, its version is
 * put on hold; after a fault of this machine or the network, the version is tried again while the service wishes it
 * (D35). Nothing is reported for a wish that was withdrawn.
 */
export const endOutcomes = {
  unreachable: { outcome: 'failed', holds: false },
  unable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
  differs: { outcome: 'failed', holds: true },
  falls: { outcome: 'rolled_back', holds: true },
} as const satisfies Partial<Record<SelfUpdateEvent, { outcome: Outcome; holds: boolean }>>
