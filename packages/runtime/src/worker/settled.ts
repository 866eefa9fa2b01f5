/**
 * Delays the runtime's first report for a moment. The page shows that report for a whole interval, and without the
 * delay it would say "about to start" about an agent that has started meanwhile. The agent never waits for the report.
 */
import { statSync } from 'node:fs'
import type { Manifest } from '@svc/blueprint'
import { cannotBe } from '@svc/protocol'
import { duration, wait } from '../machine/base/time.ts'
import type { Folder } from '../machine/files/folder.ts'
import { placeOf } from '../state/paths.ts'
import type { ProcessState } from '../state/process-note.ts'

/** The maximum number of seconds that the first report is delayed. */
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
 * The maximum delay, in milliseconds, between the start of the agent's process and the time that the launcher notes as
 * its start. The process may have written its status file before the noted time.
 */
const noteMs = 250

/**
 * True if the first report need not wait: it is clear whether the agent's process runs and, if the process runs, it has
 * written its status file. `written` is the time of that file in Unix milliseconds.
 */
export function isSettled(state: ProcessState, written: number | undefined, now: number): boolean {
  if (state.is === 'waiting') return state.startAt > now
  if (state.is !== 'running') return true
  return written !== undefined && (written > state.since - noteMs || cannotBe(state.since, now))
}

function writtenAt(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs
  } catch {
    return undefined // The status file is missing or unreadable; the report says which of the two.
  }
}
