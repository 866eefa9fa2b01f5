/**
 * The file that the agent prints into. A pipe to the runtime would break when the runtime ends, and end the agent with
 * it. The file is rotated while the agent runs: it is copied and then emptied in place, and since it is open for
 * appending, the agent continues at its new beginning.
 */
import { closeSync, constants, copyFileSync, fstatSync, ftruncateSync, openSync, renameSync, statSync } from 'node:fs'
import { codeOf } from '../errors.ts'
import { createFolder } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { openForOutput } from '../logs/open.ts'

/** The size in bytes above which the agent's output file is rotated, and the number of older files that are kept. */
export const outputBytes = 5 * 1024 * 1024
const kept = 3

export interface Output {
  readonly fd: number
  /** The log in the manifest to which the output goes; absent if it goes to svc's own file. */
  readonly declared?: string
}

/**
 * Opens the output file for a new process: the declared log if it is valid, otherwise svc's own file. An invalid
 * declared log never makes a start fail.
 */
export function openOutput(folder: Folder, declared?: string): Output {
  const fd = declared === undefined ? undefined : openForOutput(folder, declared)
  if (fd !== undefined && declared !== undefined) return { fd, declared }
  createFolder(folder.log, 0o700)
  return { fd: openSync(folder.output, 'a', 0o600) }
}

/** Rotates the file if it is full. Output that is printed between the copy and the emptying is lost. */
export function rotateOutput(file: string, maxBytes: number = outputBytes): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return false
  for (let n = kept; n > 1; n--) move(`${file}.${n - 1}`, `${file}.${n}`)
  const fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    // a link that somebody put at the place of the copy is never followed
    copyFileSync(file, `${file}.1`, constants.COPYFILE_EXCL)
    ftruncateSync(fd)
    return fstatSync(fd).size < maxBytes
  } finally {
    closeSync(fd)
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
