/** The run-now file (2.12), made by a request and removed by the agent when it acts. */
import { existsSync } from 'node:fs'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { type Author, noteChange } from './changes.ts'

/** True if a request waits for the agent. */
export const runNowWaits = (folder: Folder): boolean => existsSync(folder.runNow)

/** Asks for a run. False if a request already waits. */
export function askToRun(folder: Folder, author: Author): boolean {
  if (runNowWaits(folder)) return false
  prepare(folder)
  writeDurably(folder.runNow, `${JSON.stringify(author)}\n`)
  noteChange(folder, { run_now: author })
  return true
}
