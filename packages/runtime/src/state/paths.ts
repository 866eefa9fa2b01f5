/**
 * State paths (3.3, I20): what the manifest names as state lies in `<dir>/state` and is linked into every version. The path `state` is
 * that folder itself and `state/x` is x in it, so that `SVC_STATE_DIR` and the manifest speak of one place; any other path lies below it
 * under its own name. A path is a folder unless it looks like a file or a file was shipped there.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { codeOf, makeFolder, syncFolder } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'

type WithState = Pick<Manifest, 'state'>

/** Where a state path lies. */
export const statePlace = (folder: Pick<Folder, 'state'>, path: string): string =>
  path === 'state'
    ? folder.state
    : resolve(folder.state, path.startsWith('state/') ? path.slice('state/'.length) : path)

/** Where a file that the manifest names really is: in the state, in the running version, or in the folder of an agent connected by hand. */
export function placeOf(folder: Folder, { state = [] }: Partial<WithState>, path: string): string {
  if (folder.installed) {
    const at = state.find((p) => path === p || path.startsWith(`${p}/`))
    if (at !== undefined) return resolve(statePlace(folder, at), relative(at, path))
  }
  return resolve(folder.home, path)
}

/** Makes the folders that are not there, so that an agent can write at once. */
export function makeStatePaths(folder: Folder, manifest: WithState): void {
  makeFolder(folder.state)
  for (const path of manifest.state) {
    const place = folder.installed ? statePlace(folder, path) : resolve(folder.home, path)
    makeFolder(looksLikeFile(path) ? dirname(place) : place)
  }
}

/**
 * Links the state into an unpacked version that does not run yet. A file shipped at a state path is a seed: copied only where nothing is,
 * placed whole by one link. `final` is where the version will lie.
 */
export function linkState(folder: Folder, manifest: WithState, version: string, final: string): void {
  makeFolder(folder.state)
  for (const path of manifest.state) {
    const shipped = join(version, path)
    const place = statePlace(folder, path)
    const found = lstatSync(shipped, { throwIfNoEntry: false })
    if (found) {
      seed(shipped, place)
      rmSync(shipped, { recursive: true })
    } else makeFolder(looksLikeFile(path) ? dirname(place) : place)
    makeFolder(dirname(shipped))
    symlinkSync(relative(dirname(join(final, path)), place), shipped)
    syncFolder(dirname(shipped))
  }
}

function seed(from: string, to: string): void {
  if (lstatSync(from).isDirectory()) {
    makeFolder(to)
    for (const name of readdirSync(from)) seed(join(from, name), join(to, name))
    return
  }
  if (lstatSync(to, { throwIfNoEntry: false })) return
  makeFolder(dirname(to))
  const beside = join(dirname(to), `.seed.${randomBytes(6).toString('hex')}.tmp`)
  try {
    copyFileSync(from, beside, constants.COPYFILE_EXCL)
    sync(beside)
    linkSync(beside, to)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error // the agent was faster: its file stays
  } finally {
    rmSync(beside, { force: true })
  }
  syncFolder(dirname(to))
}

function sync(file: string): void {
  const fd = openSync(file, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const looksLikeFile = (path: string): boolean => /[^/]\.[A-Za-z0-9]+$/.test(path)
