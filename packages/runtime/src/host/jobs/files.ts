/**
 * Reads and replaces the small files of jobs. Nothing is synced, since a run must not wait for a disk: after a power
 * failure the newest records may be missing. Nothing here loads more code than `svc exec` needs.
 */
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Field } from '@svc/protocol/fields'
import { codeOf } from '../../machine/base/errors.ts'
import { openOwnFile } from '../../machine/files/own.ts'
import { readJsonFile } from '../../machine/files/read.ts'

/** The largest `job.json` or record that is read, in bytes. */
const maxBytes = 128 * 1024

/** Reads a file of JSON. Undefined if it is missing, not a regular file of this user, too large or damaged. */
export const readOwnJson = <T>(file: string, field: Field<T>): T | undefined =>
  readJsonFile(file, maxBytes, (value) => field(value), openOwnFile)

/** Replaces a file of JSON in one step. Only its owner can read it. */
export const replaceJson = (file: string, value: unknown): void =>
  replaceFile(file, `${JSON.stringify(value)}\n`, `.${process.pid}`)

/**
 * Replaces a file, or a link with its name, in one step. Only its owner can read it. `mark` becomes a part of the
 * temporary file's name, which must differ if several processes may write at the same time.
 */
export function replaceFile(file: string, content: string | Buffer, mark = ''): void {
  const temporary = join(dirname(file), `.${basename(file)}${mark}.tmp`)
  rmSync(temporary, { force: true })
  const fd = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(fd, content)
    closeSync(fd)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Creates a folder and those above it, one after the other. `mkdirSync` with `recursive` never returns on Node 20 if
 * the system answers ENOENT below a folder that exists, as it does below /proc.
 */
export function createJobFolders(folder: string): void {
  try {
    mkdirSync(folder, 0o700)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    createJobFolders(dirname(folder))
    mkdirOnce(folder)
  }
}

function mkdirOnce(folder: string): void {
  try {
    mkdirSync(folder, 0o700)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error // another run may have made the folder meanwhile
  }
}
