/**
 * The runtime's own log in the agent's folder: two files of a megabyte each. If it cannot be written, nothing else is
 * affected. If there is no room for a new line, the older file is removed.
 */
import { appendFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { createFolder } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { isNoRoom } from '../machine/files/space.ts'

const maxBytes = 1024 * 1024

export function openRuntimeLog(folder: Folder): (line: string) => void {
  /** The number of lines that could not be written since the last line that was written. */
  let lost = 0
  const older = `${folder.runtimeLog}.1`
  const append = (text: string): void => appendFileSync(folder.runtimeLog, text, { mode: 0o600 })
  return (line) => {
    try {
      createFolder(folder.log, 0o700)
      if ((statSync(folder.runtimeLog, { throwIfNoEntry: false })?.size ?? 0) > maxBytes)
        renameSync(folder.runtimeLog, older)
      // a line that failed may be there in part, so the next one begins on a line of its own
      const before = lost === 0 ? '' : `\n${lost} ${lost === 1 ? 'line' : 'lines'} could not be written here\n`
      try {
        append(before + line)
      } catch (error) {
        if (!isNoRoom(error) || !existsSync(older)) throw error
        rmSync(older, { force: true })
        append(`\n${before}${line}`)
      }
      lost = 0
    } catch {
      lost++
    }
  }
}
