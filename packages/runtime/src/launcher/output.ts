/**
 * The agent prints into a file, never through the runtime: a pipe would end with the runtime, and the agent with it.
 * While it runs the file is copied and emptied in place; it is open for appending, so the agent continues at its
 * beginning.
 */
import { closeSync, constants, copyFileSync, fstatSync, ftruncateSync, openSync, renameSync, statSync } from 'node:fs'
import { codeOf } from '../errors.ts'
import { createFolder } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { openForOutput } from '../logs/open.ts'

/** The maximum size of one file in bytes, and the number of older files that are kept. */
export const outputBytes = 5 * 1024 * 1024
const kept = 3

export interface Output {
  readonly fd: number
  /** The declared file, if the output goes there. */
  readonly declared?: string
}

/**
 * Opens the file for a new process: the declared one if it is a valid log, else our own. A bad declared file never
 * fails a start.
 */
export function openOutput(folder: Folder, declared?: string): Output {
  const fd = declared === undefined ? undefined : openForOutput(folder, declared)
  if (fd !== undefined && declared !== undefined) return { fd, declared }
  createFolder(folder.log, 0o700)
  return { fd: openSync(folder.output, 'a', 0o600) }
}

/** Rotates a file that is full. Output that is printed between the copy and the emptying is lost. */
export function rotateOutput(file: string, maxBytes: number = outputBytes): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return false
  for (let n = kept; n > 1; n--) move(`${file}.${n - 1}`, `${file}.${n}`)
  const fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    copyFileSync(file, `${file}.1`, constants.COPYFILE_EXCL) // never through a link that somebody put there
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
