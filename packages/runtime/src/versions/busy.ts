/**
 * D31: one update at a time. A new runtime on trial and a new version of the agent between swap and keep would each blame the
 * other; so whoever wants to swap looks here first, and waits.
 */
import type { Folder } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import { onTrial } from './runtime-note.ts'

/** What `.svc/journal/update.json` names while a version of the agent is neither kept nor back. */
const unproven = ['swapping', 'proving', 'undoing']

/** Which of the two is under way; undefined when a swap may take place. */
export function busyWith(
  folder: Pick<Folder, 'runtimeNote' | 'selfUpdate' | 'update'>,
): 'runtime update' | 'blueprint update' | undefined {
  if (onTrial(folder) || readJsonObject(folder.selfUpdate)?.is === 'swapping') return 'runtime update'
  const { state } = readJsonObject(folder.update) ?? {}
  return typeof state === 'string' && unproven.includes(state) ? 'blueprint update' : undefined
}
