/**
 * Everything that the steps of an update work with: the folder, the agent's process as the launcher reports it, and the wishes.
 */
import type { Manifest } from '@svc/blueprint'
import type { Folder } from '../files/folder.ts'
import type { ProcessState } from '../launcher/moves.ts'
import { haltOf } from '../process/identity.ts'
import { readPause } from '../state/pause.ts'
import { duration } from '../time.ts'
import type { Came } from './change.ts'
import type { Update } from './journal.ts'

export interface Ground {
  readonly folder: Folder
  readonly blueprint: string
  /** Aborted when the runtime ends. */
  readonly stop: AbortSignal
  /** The signal that is aborted when the runtime ends, or when the wish for this update is withdrawn. */
  readonly attempt: () => AbortSignal
  readonly say: (line: string) => void
  readonly process: () => ProcessState
  /** The number of times the process died by itself since this runtime started. */
  readonly deaths: () => number
  /** The manifest of the version that `current` leads to. */
  readonly manifest: () => Promise<Manifest | undefined>
  /** The update as it is noted. */
  readonly now: () => Update
  /** A wish of the service that can be started now. */
  readonly wish: () => Came | undefined
  /** A request of a person on this machine. */
  readonly asked: () => Came | undefined
  /** Makes the launcher look at once. */
  readonly look: () => void
  /** Saves the update. Returns why it could not be written; that is tried again. */
  readonly save: (update: Update) => string | undefined
  /** Passes the bundle from fetching to staging. */
  readonly bundle: { bytes?: Buffer | undefined }
}
/** A step. Undefined means that the runtime ends, and that the next start continues. */
export type UpdateStep = (ground: Ground, update: Update) => Promise<Came | undefined>

/** The time between two looks. */
export const tickMs = (): number => Math.min(duration(1), 1000)

/**
 * True if an agent that does not run cannot be judged, because somebody stopped it; this includes stopping its process
 * by a signal (D65).
 */
export function resting({ folder, process }: Ground): boolean {
  const state = process()
  if (readPause(folder)) return true
  if (state.is === 'running') return haltOf(state.pid) === 'T'
  return (
    (state.is === 'stopped' || state.is === 'stopping') && (state.because === 'paused' || state.because === 'asked')
  )
}
