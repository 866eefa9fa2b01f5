/**
 * The messages between the launcher and the worker, which runs in a thread of its own. Either may be older than the
 * other (a new file under an old launcher, a restored file under a new one), so messages are only ever added: an
 * unknown message or part is ignored, and a missing part means what it meant before it was added.
 */
import type { AppliedUpdate, StoppedBy } from '@svc/protocol'
import type { ProcessState } from '../state/process-note.ts'
import type { RuntimeHold, RuntimeNote } from '../state/versions/runtime-note.ts'
import type { VersionRef } from '../state/versions/version-ref.ts'
import type { StartOrder } from './supervision.ts'

/**
 * The version of this contract. Version 2 added that the launcher replaces the file and sends pings, and that the
 * worker says `here` and answers pings.
 */
export const contractVersion = 2

/** The data that the launcher gives a worker thread at its start. */
export interface WorkerStart {
  readonly svc: 'runtime'
  readonly contract: number
  /** The file from which the worker runs. */
  readonly file: string
  /** The agent's folder. */
  readonly root: string
  readonly process: ProcessState
  /** The content of the note about the runtime's own file when the worker starts. This field exists since version 2. */
  readonly runtime?: RuntimeNote
}
/** A message of the launcher to the worker. */
export type ToWorker =
  /** Asks the worker how the agent must be started now. The worker answers with `order` and the same id. */
  | { readonly is: 'order?'; readonly id: number }
  | { readonly is: 'process'; readonly state: ProcessState }
  /**
   * Asks the worker to end. `by` says who stopped the agent (D66). `by` is absent if the worker is only being replaced,
   * or if it is not known who stopped the agent.
   */
  | { readonly is: 'stop'; readonly by?: StoppedBy }
  /**
   * Asks the worker for a sign of life; added in version 2. The worker answers `pong`. A worker that sends no message
   * during several pings counts as hung.
   */
  | { readonly is: 'ping' }
  | { readonly is: 'runtime'; readonly note: RuntimeNote }
  /**
   * Says that the new runtime file was not put in place although the worker asked for it, and that the running file is
   * unchanged.
   */
  | { readonly is: 'unswapped'; readonly why: string }
export type FromWorker =
  | { readonly is: 'order'; readonly id: number; readonly order?: StartOrder; readonly why?: string }
  | { readonly is: 'say'; readonly line: string }
  /** Says why nothing in this folder can be started. The worker sends this at most once, at the beginning. */
  | { readonly is: 'unfit'; readonly why: string }
  /** Says whether the service answered a report of the worker (D17). */
  | { readonly is: 'reported'; readonly ok: boolean }
  /**
   * Says that files in the agent's folder have changed, for example by a command to pause, so that the launcher looks
   * at them at once.
   */
  | { readonly is: 'look' }
  /** The worker's first message; added in version 2. From then on the worker answers pings. */
  | { readonly is: 'here'; readonly contract: number; readonly version: string }
  | { readonly is: 'pong' }
  /** Asks the launcher to put this verified file in place of the running one, on trial (3.5, 4). */
  | { readonly is: 'swap'; readonly staged: string; readonly from: string; readonly to: VersionRef }
  /**
   * Asks the launcher to note the outcome of an update of the runtime that changed no file, and the version of the
   * runtime that is put on hold because of it.
   */
  | { readonly is: 'attempted'; readonly applied: AppliedUpdate; readonly hold?: RuntimeHold }
  /**
   * Asks the launcher to remove the hold on a version of the runtime (3.5, 1), because the service wishes another
   * version or somebody replaced the runtime's file.
   */
  | { readonly is: 'lifted' }
