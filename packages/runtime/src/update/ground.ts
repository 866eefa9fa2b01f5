/** What the steps of an update stand on: the folder, the agent's process as the launcher tells it, and the wishes. */
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
  /** Aborted then, and when the wish that an update was begun for is taken back. */
  readonly attempt: () => AbortSignal
  readonly say: (line: string) => void
  readonly process: () => ProcessState
  /** How often the process died by itself since this runtime began. */
  readonly deaths: () => number
  /** Of the version that `current` leads to. */
  readonly manifest: () => Promise<Manifest | undefined>
  /** As it is noted. */
  readonly now: () => Update
  /** A wish of the service that can be begun now. */
  readonly wish: () => Came | undefined
  /** A wish of a person on this machine. */
  readonly asked: () => Came | undefined
  /** Hurries the launcher. */
  readonly look: () => void
  /** Gives why it could not be written; it is tried again. */
  readonly save: (update: Update) => string | undefined
  /** Between fetching and staging. */
  readonly bundle: { bytes?: Buffer | undefined }
}
/** Undefined: the runtime ends, and the next start goes on. */
export type UpdateStep = (ground: Ground, update: Update) => Promise<Came | undefined>

/** Between two looks. */
export const tickMs = (): number => Math.min(duration(1), 1000)

/** Nothing can be said of an agent that does not run because somebody wants it so: who stops its process by a signal, too (D65). */
export function resting({ folder, process }: Ground): boolean {
  const state = process()
  if (readPause(folder)) return true
  if (state.is === 'running') return haltOf(state.pid) === 'T'
  return (
    (state.is === 'stopped' || state.is === 'stopping') && (state.because === 'paused' || state.because === 'asked')
  )
}
