/**
 * Writes files so that they survive a kill and a power failure (D57). The content goes to a temporary file, which is
 * synced and renamed, and then the folder is synced. If a sync fails with EIO, the error is thrown and never retried:
 * what is on the disk is unknown until the journal is read again.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
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
import { codeOf } from '../errors.ts'

/** Replaces a file in one step. A reader sees either the whole old file or the whole new one. */
export function writeDurably(file: string, data: string | Uint8Array, mode = 0o644): void {
  write(file, data, mode, true)
  syncFolder(dirname(file))
}

/** Replaces a file in one step, but does not sync it. A power failure may undo the change. */
export const writeLightly = (file: string, data: string | Uint8Array, mode = 0o644): void =>
  write(file, data, mode, false)

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
  if (mkdirSync(folder, { recursive: true, mode }) !== undefined) syncFolder(dirname(folder))
}

/** Removes temporary files that killed processes left in a folder, if they are older than ten minutes. */
export function sweep(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (!/^\..+\.[0-9a-f]{12}\.tmp$/.test(name)) continue
    const file = join(folder, name)
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - written > 600_000) rmSync(file, { force: true })
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function write(file: string, data: string | Uint8Array, mode: number, sync: boolean): void {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  const fd = openSync(temporary, 'wx', mode)
  try {
    try {
      fchmodSync(fd, mode)
      writeFileSync(fd, data)
      if (sync) fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
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
