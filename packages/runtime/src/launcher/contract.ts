/**
 * What passes between the launcher and the runtime proper in its worker thread. Either may be older than the other (a new file under
 * an old launcher, a restored file under a new one), so this only grows: a message or a part that is not known is ignored, and
 * a part that is missing means what it meant before there was one.
 */
import type { Applied, Stop } from '@svc/protocol'
import type { Release } from '../versions/release.ts'
import type { RuntimeHold, RuntimeNote } from '../versions/runtime-note.ts'
import type { ProcessState } from './moves.ts'
import type { Order } from './supervision.ts'

/** 2: a launcher that replaces the file, and pings; a worker that says it is here, and answers pings. */
export const contract = 2

/** What a worker is started with. */
export interface Start {
  readonly svc: 'runtime'
  readonly contract: number
  /** The file that the worker runs. */
  readonly file: string
  /** The agent's folder. */
  readonly root: string
  readonly process: ProcessState
  /** What is known of the runtime's own file. Since 2. */
  readonly runtime?: RuntimeNote
}
export type ToWorker =
  /** How is the agent started now? Answered by `order` with the same number. */
  | { readonly is: 'order?'; readonly id: number }
  | { readonly is: 'process'; readonly state: ProcessState }
  /** Report what there is to report, and end. `by`: the agent was stopped, so that report is the last one (D66); absent where a worker is replaced. */
  | { readonly is: 'stop'; readonly by?: Stop }
  /** Since 2. Answered by `pong`: a worker that does not is hung. */
  | { readonly is: 'ping' }
  | { readonly is: 'runtime'; readonly note: RuntimeNote }
  /** The swap that was asked for did not take place; nothing changed. */
  | { readonly is: 'unswapped'; readonly why: string }
export type FromWorker =
  | { readonly is: 'order'; readonly id: number; readonly order?: Order; readonly why?: string }
  | { readonly is: 'say'; readonly line: string }
  /** Nothing in this folder can be started, and why: said once, at the beginning. */
  | { readonly is: 'unfit'; readonly why: string }
  /** A report was answered (D17) or not. */
  | { readonly is: 'reported'; readonly ok: boolean }
  /** Something in the files changed that the launcher looks at: it need not wait for its next look. */
  | { readonly is: 'look' }
  /** Since 2: said first; from then on pings are answered. */
  | { readonly is: 'here'; readonly contract: number; readonly version: string }
  | { readonly is: 'pong' }
  /** Put this verified file in place of the running one, on trial (3.5, 4). */
  | { readonly is: 'swap'; readonly staged: string; readonly from: string; readonly to: Release }
  /** Note what came of an attempt that changed nothing, and what is not tried again. */
  | { readonly is: 'attempted'; readonly applied: Applied; readonly hold?: RuntimeHold }
  /** Another version is wished: what was on hold is not any more (3.5, 1). */
  | { readonly is: 'lifted' }
