/**
 * The runtime's own log in the agent's folder: two files of a megabyte each. If it cannot be written, nothing else is
 * affected.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { createFolder } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'

const maxBytes = 1024 * 1024

export function openLog(folder: Folder): (line: string) => void {
  return (line) => {
    try {
      createFolder(folder.log, 0o700)
      if ((statSync(folder.runtimeLog, { throwIfNoEntry: false })?.size ?? 0) > maxBytes)
        renameSync(folder.runtimeLog, `${folder.runtimeLog}.1`)
      appendFileSync(folder.runtimeLog, line, { mode: 0o600 })
    } catch {
      // This line of the log is lost, for example because the disk is full.
    }
  }
}
