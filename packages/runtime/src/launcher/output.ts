/**
 * The file into which the agent prints. A pipe to the runtime would break when the runtime ends, and end the agent,
 * too. The runtime rotates the file while the agent runs: it copies the file and empties it in place. The agent has the
 * file open for appending, so it continues at the new beginning.
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
  /**
   * The log of the manifest into which the output goes; absent if it goes into the runtime's file `.svc/log/agent.log`.
   */
  readonly declared?: string
}

/**
 * Opens the output file for a new process: the log that the manifest declares for output if its path is valid,
 * otherwise the runtime's own file. An invalid path never makes a start fail.
 */
export function openOutput(folder: Folder, declared?: string): Output {
  const fd = declared === undefined ? undefined : openForOutput(folder, declared)
  if (fd !== undefined && declared !== undefined) return { fd, declared }
  createFolder(folder.log, 0o700)
  return { fd: openSync(folder.output, 'a', 0o600) }
}

/** Rotates the file if it is full. Output that the agent prints after the copy and before the emptying is lost. */
export function rotateOutput(file: string, maxBytes: number = outputBytes): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return false
  for (let n = kept; n > 1; n--) move(`${file}.${n - 1}`, `${file}.${n}`)
  const fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    // the flag EXCL: if somebody put a link at the place of the copy, the copy fails instead of following the link
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
