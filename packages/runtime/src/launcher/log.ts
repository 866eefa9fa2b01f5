/**
 * The runtime's own log in the agent's folder: two files of a megabyte each. If it cannot be written, nothing else is
 * affected.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { createFolder } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'

const maxBytes = 1024 * 1024

export function openLog(folder: Folder): (line: string) => void {
  /** The number of lines that could not be written since the last one that could. */
  let lost = 0
  return (line) => {
    try {
      createFolder(folder.log, 0o700)
      if ((statSync(folder.runtimeLog, { throwIfNoEntry: false })?.size ?? 0) > maxBytes)
        renameSync(folder.runtimeLog, `${folder.runtimeLog}.1`)
      // a line that failed may be there in part, so the next one begins on a line of its own
      const before = lost === 0 ? '' : `\n${lost} ${lost === 1 ? 'line' : 'lines'} could not be written here\n`
      appendFileSync(folder.runtimeLog, before + line, { mode: 0o600 })
      lost = 0
    } catch {
      lost++
    }
  }
}
