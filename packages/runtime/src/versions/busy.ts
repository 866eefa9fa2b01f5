/**
 * Allows only one update at a time (D31). A new runtime on trial and a new version of the agent on proof could be
 * blamed for each other's faults, so every swap first checks this and waits.
 */
import type { Folder } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import { onTrial } from './runtime-note.ts'

/** The states in `.svc/journal/update.json` in which the agent has a version that is neither kept nor rolled back. */
const unproven = ['swapping', 'proving', 'undoing']

/** The update for which every other swap waits; undefined if a swap may take place. */
export function busyWith(
  folder: Pick<Folder, 'runtimeNote' | 'selfUpdate' | 'update'>,
): 'runtime update' | 'blueprint update' | undefined {
  if (onTrial(folder) || readJsonObject(folder.selfUpdate)?.is === 'swapping') return 'runtime update'
  const { state } = readJsonObject(folder.update) ?? {}
  return typeof state === 'string' && unproven.includes(state) ? 'blueprint update' : undefined
}
