/**
 * What passes between the launcher and the runtime proper in its worker thread. Either may be older than the other (a new file under
 * an old launcher, a restored file under a new one), so this only grows: a message or a part that is not known is ignored, and
 * a part that is missing means what it meant before there was one.
 */
import type { ProcessState } from './moves.ts'
import type { Order } from './supervisor.ts'

export const contract = 1

/** What a worker is started with. */
export interface Start {
  readonly svc: 'runtime'
  readonly contract: number
  /** The file that the worker runs. */
  readonly file: string
  /** The agent's folder. */
  readonly root: string
  readonly process: ProcessState
}
export type ToWorker =
  /** How is the agent started now? Answered by `order` with the same number. */
  | { readonly is: 'order?'; readonly id: number }
  | { readonly is: 'process'; readonly state: ProcessState }
  /** Report what there is to report, and end. */
  | { readonly is: 'stop' }
export type FromWorker =
  | { readonly is: 'order'; readonly id: number; readonly order?: Order; readonly why?: string }
  | { readonly is: 'say'; readonly line: string }
  /** Nothing in this folder can be started, and why: said once, at the beginning. */
  | { readonly is: 'unfit'; readonly why: string }
  /** A report was answered (D17) or not. */
  | { readonly is: 'reported'; readonly ok: boolean }
  /** Something in the files changed that the launcher looks at: it need not wait for its next look. */
  | { readonly is: 'look' }
