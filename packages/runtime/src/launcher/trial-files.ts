/** The files of a self-update (3.5, 4): the running one kept beside as previous, the new one renamed over it, and the way back. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'
import { makeFolder, syncFolder, writeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { readFile } from '../files/read.ts'
import { starter } from './starter.ts'

type RuntimePaths = Pick<Folder, 'runtime' | 'runtimeFolder' | 'runtimePrevious' | 'runtimeStarter'>

/** Undefined when there is no such file. */
export function sha256Of(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The running file becomes the previous one, too. `file` may lie elsewhere: then it is copied. */
export function keepPrevious(place: RuntimePaths, file: string): void {
  makeFolder(place.runtimeFolder)
  const beside = `${place.runtimePrevious}.new`
  rmSync(beside, { force: true })
  if (file === place.runtime) linkSync(file, beside)
  else copySynced(file, beside)
  renameSync(beside, place.runtimePrevious)
  syncFolder(place.runtimeFolder)
}

/** The new file takes the place of the running one. */
export function putInPlace(place: RuntimePaths, staged: string): void {
  renameSync(staged, place.runtime)
  syncFolder(place.runtimeFolder)
}

/** The previous file takes its place again. */
export const putBack = (place: RuntimePaths): void => putInPlace(place, place.runtimePrevious)

/** What a unit starts, and what lets any Node load the file whatever package.json lies above. Written only where it differs. */
export function writeStarter(place: RuntimePaths): void {
  makeFolder(place.runtimeFolder)
  keep(join(place.runtimeFolder, 'package.json'), '{"type":"commonjs"}\n')
  keep(place.runtimeStarter, starter)
}

function keep(file: string, text: string): void {
  const now = readFile(file, 65_536)
  if (now.is !== 'bytes' || now.bytes.toString('utf8') !== text) writeDurably(file, text)
}

function copySynced(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  const fd = openSync(to, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
