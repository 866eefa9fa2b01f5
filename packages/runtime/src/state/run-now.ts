/** The run-now file (2.12). A request for a run creates it, and the agent removes it when it starts the run. */
import { existsSync } from 'node:fs'
import { writeDurably } from '../machine/files/durable.ts'
import { type Folder, prepare } from '../machine/files/folder.ts'
import { type Author, tryNoteChange } from './changes.ts'

/** True if there is a request for a run that the agent has not taken yet. */
export const runNowWaits = (folder: Folder): boolean => existsSync(folder.runNow)

/** Requests a run. Returns false if an earlier request was not taken yet. */
export function askToRun(folder: Folder, author: Author): boolean {
  if (runNowWaits(folder)) return false
  prepare(folder)
  writeDurably(folder.runNow, `${JSON.stringify(author)}\n`)
  tryNoteChange(folder, { run_now: author })
  return true
}
