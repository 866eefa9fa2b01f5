/**
 * Changes the files of the runtime in an update (3.5, 4): the running file is kept as the previous one, the new one is
 * renamed over it, and later the previous one can be put back.
 */
import { closeSync, constants, copyFileSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, syncFolder, writeDurably } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { readFile } from '../machine/files/read.ts'
import { starterScript } from './starter.ts'

type RuntimePaths = Pick<Folder, 'runtime' | 'runtimeFolder' | 'runtimePrevious' | 'runtimeStarter'>

/**
 * Keeps a runtime file as the previous one. The file in place is only linked, so it also stays in place; any other file
 * is copied.
 */
export function keepPrevious(paths: RuntimePaths, file: string): void {
  createFolder(paths.runtimeFolder)
  const temporary = `${paths.runtimePrevious}.new`
  rmSync(temporary, { force: true })
  try {
    if (file === paths.runtime) linkSync(file, temporary)
    else copySynced(file, temporary)
    renameSync(temporary, paths.runtimePrevious)
  } catch (error) {
    rmSync(temporary, { force: true }) // a partial copy would take space that is already scarce
    throw error
  }
  syncFolder(paths.runtimeFolder)
}

/** Puts the new runtime file in place of the running one. */
export function putInPlace(paths: RuntimePaths, staged: string): void {
  renameSync(staged, paths.runtime)
  syncFolder(paths.runtimeFolder)
}

/** Puts the previous runtime file back in place. */
export const putPreviousBack = (paths: RuntimePaths): void => putInPlace(paths, paths.runtimePrevious)

/**
 * Writes `start.cjs`, which the service manager starts, and a package.json so that any Node can load the runtime,
 * whatever a package.json in a parent folder says. Files that are up to date are not written again.
 */
export function writeStarter(paths: RuntimePaths): void {
  createFolder(paths.runtimeFolder)
  keep(join(paths.runtimeFolder, 'package.json'), '{"type":"commonjs"}\n')
  keep(paths.runtimeStarter, starterScript)
}

function keep(file: string, text: string): void {
  const content = readFile(file, 65_536)
  if (content.is !== 'bytes' || content.bytes.toString('utf8') !== text) writeDurably(file, text)
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
