/**
 * Decides when the first report is worth sending. It is shown for a whole interval, and would otherwise say "about to
 * start" of an agent that has started since. Only the report waits, and not for long; the agent never waits for it.
 */
import { statSync } from 'node:fs'
import type { Manifest } from '@svc/blueprint'
import type { Folder } from '../files/folder.ts'
import type { ProcessState } from '../launcher/moves.ts'
import { placeOf } from '../state/paths.ts'
import { duration, wait } from '../time.ts'

/** The maximum seconds that the first report waits, from the start of the runtime. */
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

/** The maximum delay of noting the start of a process, which may already have written by then. */
const noteMs = 250

/**
 * True if the state of the process is decided, and a running one has reported its health. `written` is when its status
 * file was, in Unix milliseconds.
 */
export function isSettled(state: ProcessState, written: number | undefined, now: number): boolean {
  if (state.is === 'waiting') return state.startAt > now
  return state.is !== 'running' || (written !== undefined && written > state.since - noteMs)
}

function writtenAt(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs
  } catch {
    return undefined // missing or unreadable; the report says which
  }
}
