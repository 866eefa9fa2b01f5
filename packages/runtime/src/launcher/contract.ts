/**
 * The messages between the launcher and the runtime proper in its worker thread. Either may be older than the other (a
 * new file under an old launcher, a restored file under a new one), so this interface only grows: an unknown message or
 * part is ignored, and a missing part means what it meant before it was added.
 */
import type { Applied, Stop } from '@svc/protocol'
import type { Release } from '../versions/release.ts'
import type { RuntimeHold, RuntimeNote } from '../versions/runtime-note.ts'
import type { ProcessState } from './moves.ts'
import type { Order } from './supervision.ts'

/** Version 2 adds: the launcher replaces the file and pings; the worker says that it is here and answers pings. */
export const contract = 2

/** The data with which a worker is started. */
export interface Start {
  readonly svc: 'runtime'
  readonly contract: number
  /** The file that the worker runs. */
  readonly file: string
  /** The agent's folder. */
  readonly root: string
  readonly process: ProcessState
  /** The note about the runtime's own file. Since version 2. */
  readonly runtime?: RuntimeNote
}
export type ToWorker =
  /** Asks how the agent is started now. Answered by `order` with the same number. */
  | { readonly is: 'order?'; readonly id: number }
  | { readonly is: 'process'; readonly state: ProcessState }
  /**
   * Asks the worker to send what it has to report, and to end. `by` says who stopped the agent, whose last report this
   * is (D66); absent if the worker is being replaced.
   */
  | { readonly is: 'stop'; readonly by?: Stop }
  /** Since version 2. Answered by `pong`; a worker that does not answer is hung. */
  | { readonly is: 'ping' }
  | { readonly is: 'runtime'; readonly note: RuntimeNote }
  /** The requested swap did not take place, and nothing changed. */
  | { readonly is: 'unswapped'; readonly why: string }
export type FromWorker =
  | { readonly is: 'order'; readonly id: number; readonly order?: Order; readonly why?: string }
  | { readonly is: 'say'; readonly line: string }
  /** Nothing in this folder can be started, and why. Sent once, at the beginning. */
  | { readonly is: 'unfit'; readonly why: string }
  /** A report was answered (D17) or not. */
  | { readonly is: 'reported'; readonly ok: boolean }
  /** A file that the launcher watches has changed, so it need not wait for its next look. */
  | { readonly is: 'look' }
  /** Since version 2. The first message; from then on the worker answers pings. */
  | { readonly is: 'here'; readonly contract: number; readonly version: string }
  | { readonly is: 'pong' }
  /** Puts this verified file in place of the running one, on trial (3.5, 4). */
  | { readonly is: 'swap'; readonly staged: string; readonly from: string; readonly to: Release }
  /** Notes the outcome of an attempt that changed nothing, and the version that is held. */
  | { readonly is: 'attempted'; readonly applied: Applied; readonly hold?: RuntimeHold }
  /** Another version is wished, which lifts the hold (3.5, 1). */
  | { readonly is: 'lifted' }
