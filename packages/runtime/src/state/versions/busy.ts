/**
 * Allows only one update at a time (D31). If a new runtime and a new version of the agent were on trial together, each
 * could be blamed for the other's faults. So each update calls `busyWith` before it swaps files, and waits.
 */
import type { Folder } from '../../machine/files/folder.ts'
import { readJsonObject } from '../../machine/files/read.ts'
import { isOnTrial } from './runtime-note.ts'

/** The states in `.svc/journal/update.json` in which the agent has a version that is neither kept nor rolled back. */
const unprovenStates = ['swapping', 'proving', 'undoing']

/** Names the update that is in progress, for which any other update must wait; undefined if none is in progress. */
export function busyWith(
  folder: Pick<Folder, 'runtimeNote' | 'selfUpdate' | 'update'>,
): 'runtime update' | 'blueprint update' | undefined {
  if (isOnTrial(folder) || readJsonObject(folder.selfUpdate)?.is === 'swapping') return 'runtime update'
  const { state } = readJsonObject(folder.update) ?? {}
  return typeof state === 'string' && unprovenStates.includes(state) ? 'blueprint update' : undefined
}
