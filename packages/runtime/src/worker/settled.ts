/**
 * Decides when the first report is sent. The page shows it for a whole interval, and without a short wait it would say
 * "about to start" about an agent that has started meanwhile. Only the report waits, and not for long; the agent never
 * waits for it.
 */
import { statSync } from 'node:fs'
import type { Manifest } from '@svc/blueprint'
import type { Folder } from '../files/folder.ts'
import type { ProcessState } from '../launcher/moves.ts'
import { placeOf } from '../state/paths.ts'
import { duration, wait } from '../time.ts'

/** The maximum number of seconds that the first report waits, counted from the start of the runtime. */
const patienceSeconds = 10

export async function agentSettled(
  folder: Folder,
  manifest: Manifest,
  state: () => ProcessState,
  stop: AbortSignal,
): Promise<void> {
  const file = manifest.status === undefined ? undefined : placeOf(folder, manifest, manifest.status)
  const written = () => (file === undefined ? Number.POSITIVE_INFINITY : writtenAt(file))
  const end = performance.now() + duration(patienceSeconds)
  while (!isSettled(state(), written(), Date.now()) && performance.now() < end)
    if (!(await wait(Math.min(duration(0.1), 100), stop))) return
}

/**
 * The maximum delay, in milliseconds, between the start of a process and the time noted for it. The process may already
 * have written its status by then.
 */
const noteMs = 250

/**
 * True if it is decided whether the process runs and, if it does, its status has been written. `written` is the time of
 * its status file in Unix milliseconds.
 */
export function isSettled(state: ProcessState, written: number | undefined, now: number): boolean {
  if (state.is === 'waiting') return state.startAt > now
  return state.is !== 'running' || (written !== undefined && written > state.since - noteMs)
}

function writtenAt(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs
  } catch {
    return undefined // the status file is missing or unreadable, and the report says which
  }
}
