/**
 * Writes files so that they survive a kill and a power failure (D57). The content goes to a temporary file, which is
 * synced and renamed, and then the folder is synced. If a sync fails with EIO, the error is thrown and never retried:
 * what is on the disk is unknown until the journal is read again. If the disk is full, reserve.ts makes room in `.svc`.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import { refillReserve, spendSpare, takeSpare, type WritePurpose } from './reserve.ts'
import { explainErrors, isNoRoom } from './space.ts'

/** A file to write, with its new content. By default the mode is 0644, and the purpose is `state`. */
export interface FileToWrite {
  readonly file: string
  readonly data: string | Uint8Array
  readonly mode?: number
  readonly purpose?: WritePurpose
}

/** Replaces a file in one step. A reader sees either the whole old file or the whole new one. */
export const writeDurably = (file: string, data: string | Uint8Array, mode?: number, purpose?: WritePurpose): void =>
  writeTogether([{ file, data, ...(mode !== undefined && { mode }), ...(purpose && { purpose }) }])

/**
 * Replaces several files, each in one step. If there is no room for one of them, none is replaced. All must be in
 * folders that exist.
 */
export function writeTogether(all: readonly FileToWrite[]): void {
  const folders = [...new Set(all.map(({ file }) => dirname(file)))]
  const opened: number[] = []
  const made: string[] = []
  let spared = false
  try {
    // the folders are opened first, so that nothing was replaced if this process has too many open files
    for (const folder of folders) opened.push(explainErrors(folder, () => openSync(folder, 'r')))
    for (const one of all) {
      const { temporary, isSpare } = explainErrors(one.file, () => writeBeside(one, true))
      made.push(temporary)
      spared ||= isSpare
    }
    for (const [i, { file }] of all.entries()) explainErrors(file, () => renameSync(made[i] as string, file))
    for (const fd of opened) fsyncSync(fd)
  } catch (error) {
    for (const temporary of made) rmSync(temporary, { force: true })
    throw error
  } finally {
    for (const fd of opened) closeSync(fd)
    if (spared) for (const { file } of all) refillReserve(file)
  }
}

/** Replaces a file in one step, but does not sync it. A power failure may undo the change. It uses no reserve. */
export function writeLightly(file: string, data: string | Uint8Array, mode?: number): void {
  explainErrors(file, () => {
    const { temporary } = writeBeside({ file, data, ...(mode !== undefined && { mode }) }, false)
    try {
      renameSync(temporary, file)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
}

/** Removes a file. Returns false if there was no file. */
export function removeDurably(file: string): boolean {
  try {
    unlinkSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
  syncFolder(dirname(file))
  return true
}

/** Creates a folder, and its parents if they are missing. */
export function createFolder(folder: string, mode = 0o755): void {
  if (explainErrors(folder, () => mkdirSync(folder, { recursive: true, mode })) !== undefined)
    syncFolder(dirname(folder))
}

/** Removes temporary files that killed processes left in a folder, if they are older than ten minutes. */
export function sweepTemporary(folder: string, now: number): void {
  for (const name of fileNamesIn(folder)) {
    if (!/^\..+\.[0-9a-f]{12}\.tmp$/.test(name)) continue
    const file = join(folder, name)
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - written > 600_000) rmSync(file, { force: true })
  }
}

/** The names in a folder; none if the folder does not exist. */
export function fileNamesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

interface TemporaryFile {
  readonly temporary: string
  /** True if the temporary file was made from the reserve. */
  readonly isSpare: boolean
}

/**
 * Writes the content to a temporary file beside `file`. With `keep`, syncs the temporary file, and uses the reserve if
 * there is no room.
 */
function writeBeside({ file, data, mode = 0o644, purpose = 'state' }: FileToWrite, keep: boolean): TemporaryFile {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    writeNew(openSync(temporary, 'wx', mode), data, mode, keep)
    return { temporary, isSpare: false }
  } catch (error) {
    rmSync(temporary, { force: true })
    if (!keep || !isNoRoom(error)) throw error
    if (!fromReserve(temporary, { data, mode, purpose })) throw error
    return { temporary, isSpare: true }
  }
}

/**
 * Makes the temporary file from a spare file of the reserve. If the content is larger, removes further spare files to
 * make room. Returns false if there is no spare file, and throws if all of them are too small.
 */
function fromReserve(
  temporary: string,
  { data, mode, purpose }: Required<Pick<FileToWrite, 'data' | 'mode' | 'purpose'>>,
): boolean {
  let fd = takeSpare(temporary, purpose)
  while (fd !== undefined) {
    try {
      writeNew(fd, data, mode, true)
      return true
    } catch (error) {
      if (!isNoRoom(error) || !spendSpare(temporary, purpose)) {
        rmSync(temporary, { force: true }) // the file may hold a part of a secret, so it is no longer a spare
        refillReserve(temporary)
        throw error
      }
      fd = openSync(temporary, 'r+')
    }
  }
  return false
}

function writeNew(fd: number, data: string | Uint8Array, mode: number, sync: boolean): void {
  try {
    fchmodSync(fd, mode)
    writeFileSync(fd, data)
    ftruncateSync(fd, Buffer.byteLength(data))
    if (sync) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
