/**
 * Everything that the steps of an update need: the folder, the state of the agent's process as the launcher reports it,
 * the wishes of the service, and the requests of people.
 */
import type { Manifest } from '@svc/blueprint'
import { scaledMs } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { haltOf } from '../../machine/process/identity.ts'
import { readPause } from '../../state/controls.ts'
import type { ProcessState } from '../../state/process-note.ts'
import type { UpdateStepResult } from './change.ts'
import type { Update } from './journal.ts'

export interface UpdateContext {
  readonly folder: Folder
  readonly blueprint: string
  /** Aborted when the runtime is stopped. */
  readonly stop: AbortSignal
  /**
   * The signal for this update. It is aborted when the runtime is stopped, when the service withdraws its wish, and
   * when a person on this machine makes a request while the bundle is downloaded or unpacked.
   */
  readonly attempt: () => AbortSignal
  readonly say: (line: string) => void
  readonly process: () => ProcessState
  /** The number of crashes of the agent's process since this runtime started. */
  readonly deaths: () => number
  /** Reads the manifest of the version to which `current` leads. */
  readonly manifest: () => Promise<Manifest | undefined>
  /** The state of the update as the journal has it. */
  readonly now: () => Update
  /** Returns the start of the update that the service wishes, if it can be started now. */
  readonly wish: () => UpdateStepResult | undefined
  /** Returns what a person on this machine has requested, if it changes the update. */
  readonly asked: () => UpdateStepResult | undefined
  /** Makes the launcher check at once which version `current` leads to. */
  readonly look: () => void
  /** Writes the update to the journal. If that fails, returns why; the write is repeated later. */
  readonly save: (update: Update) => string | undefined
  /** The bundle, which the step `fetching` leaves for the step `staging`. */
  readonly bundle: { bytes?: Buffer | undefined }
}
/** A step of an update. The result is undefined if the runtime is stopped; the next start then continues. */
export type UpdateStep = (ground: UpdateContext, update: Update) => Promise<UpdateStepResult | undefined>

/** The time in milliseconds between two checks of a step of an update that waits for something. */
export const tickMs = (): number => Math.min(scaledMs(1), 1000)

/**
 * True if the agent cannot be judged, because a person paused it, stopped it, or suspended its process with a signal
 * such as SIGSTOP (D65).
 */
export function isResting({ folder, process }: UpdateContext): boolean {
  const state = process()
  if (readPause(folder)) return true
  if (state.is === 'running') return haltOf(state.pid) === 'T'
  return (
    (state.is === 'stopped' || state.is === 'stopping') && (state.because === 'paused' || state.because === 'asked')
  )
}
