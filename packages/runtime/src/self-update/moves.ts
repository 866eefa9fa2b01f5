/**
 * One attempt to update the runtime (3.5) as a table, up to the swap; from there on the launcher judges (launcher/trial.ts). Pure; the
 * steps are files of this folder, attempt.ts carries them out.
 *
 *   fetching   file and signature are downloaded, at 0, 30 and 120 s
 *   checking   checksums and the version inside; what differs is fetched once more after 60 s (D37)
 *   verifying  the signature
 *   proving    the file shows in a process of its own that it starts
 *   swapping   the launcher is asked to put it in place
 *
 * `killed`: what the next start makes of it. Before the swap nothing has happened; after it runtime.json says what is on trial.
 */
import type { Outcome } from '@svc/protocol'

export type SelfUpdateState = 'idle' | 'fetching' | 'checking' | 'verifying' | 'proving' | 'swapping'
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
 * What is reported of an attempt that ended without a swap (3.3, 3.5). A verdict about the file holds its version; the fault of this
 * machine or the network does not, and is tried again while the wish stands (D35). Nothing is said of a wish that was taken back.
 */
export const ends = {
  unreachable: { outcome: 'failed', holds: false },
  unable: { outcome: 'failed', holds: false },
  refused: { outcome: 'failed', holds: true },
  differs: { outcome: 'failed', holds: true },
  falls: { outcome: 'rolled_back', holds: true },
} as const satisfies Partial<Record<SelfUpdateEvent, { outcome: Outcome; holds: boolean }>>
