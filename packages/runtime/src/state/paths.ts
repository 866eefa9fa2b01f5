/**
 * State paths (3.3, I20): the data at the paths that the manifest names as state is in `<dir>/state`, which is
 * `SVC_STATE_DIR`, and is linked into every version. The state path `state` is that folder itself, `state/x` is x in
 * it, and any other path `y` is y in it. Existing files and folders are left alone.
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
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { codeOf } from '../machine/base/errors.ts'
import { createFolder, syncFolder } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { rememberShipped, shippedFiles } from './shipped.ts'

type WithState = Pick<Manifest, 'state' | 'stateFolders'>

/** The real path of the data of a state path from the manifest. */
const statePathOf = (folder: Pick<Folder, 'state'>, path: string): string =>
  path === 'state'
    ? folder.state
    : resolve(folder.state, path.startsWith('state/') ? path.slice('state/'.length) : path)

/**
 * The real path of a file that the manifest names. An installed agent has the files at state paths in `folder.state`
 * and all others in the running version. An agent that was connected by hand has every file in its own folder.
 */
export function machinePathOf(folder: Folder, { state = [] }: Partial<WithState>, path: string): string {
  if (folder.installed) {
    const at = state.find((p) => path === p || path.startsWith(`${p}/`))
    if (at !== undefined) return resolve(statePathOf(folder, at), relative(at, path))
  }
  return resolve(folder.home, path)
}

/**
 * Creates the folders of the state paths that are missing, so that an agent can write at once. `version` is the name of
 * the version that is about to start. A folder that cannot be created is skipped, and the agent starts nevertheless.
 */
export function createStatePaths(folder: Folder, manifest: WithState, version: string | undefined): void {
  const shipped = shippedFiles(folder, version)
  attempt(() => createFolder(folder.state))
  for (const path of manifest.state) {
    const place = folder.installed ? statePathOf(folder, path) : resolve(folder.home, path)
    attempt(() => createFolderOf(place, isFile(path, manifest, shipped)))
  }
}

/**
 * Links the state into an unpacked version that does not run yet; `final` is the folder that the version will have. A
 * file of the bundle at a state path is copied into the state only if nothing is there yet.
 */
export function linkState(folder: Folder, manifest: WithState, version: string, final: string): void {
  createFolder(folder.state)
  const shipped = new Set(manifest.state.filter((path) => kindAt(join(version, path)) === 'file'))
  rememberShipped(folder, basename(final), [...shipped])
  for (const path of manifest.state) {
    const from = join(version, path)
    const place = statePathOf(folder, path)
    if (kindAt(from)) {
      seed(from, place)
      rmSync(from, { recursive: true })
    } else unlessInTheWay(() => createFolderOf(place, isFile(path, manifest, shipped)))
    createFolder(dirname(from))
    symlinkSync(relative(dirname(join(final, path)), place), from)
    syncFolder(dirname(from))
  }
}

/**
 * True if a new state path becomes a file. It becomes a folder if the manifest writes it with a slash at the end, and a
 * file if the bundle contains a file there; otherwise the name decides.
 */
function isFile(path: string, { stateFolders = [] }: WithState, shipped: ReadonlySet<string>): boolean {
  if (stateFolders.includes(path)) return false
  return shipped.has(path) || hasExtension(path)
}
/** True for a name with an extension. A dot as the first character does not count. */
const hasExtension = (path: string): boolean => /[^/]\.[A-Za-z0-9]+$/.test(path)

/** Creates the folder or, for a file, only its parent folder. Does nothing if something exists there already. */
function createFolderOf(place: string, file: boolean): void {
  if (kindAt(place) === undefined) createFolder(file ? dirname(place) : place)
}

function kindAt(path: string): 'file' | 'folder' | 'other' | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat && (stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other')
}

function seed(from: string, to: string): void {
  if (kindAt(from) === 'folder') {
    if (kindAt(to) !== undefined && !statSync(to, { throwIfNoEntry: false })?.isDirectory()) return
    if (!unlessInTheWay(() => createFolder(to))) return
    for (const name of readdirSync(from)) seed(join(from, name), join(to, name))
    return
  }
  if (kindAt(to) !== undefined || !unlessInTheWay(() => createFolder(dirname(to)))) return
  const temporary = join(dirname(to), `.seed.${randomBytes(6).toString('hex')}.tmp`)
  try {
    copyFileSync(from, temporary, constants.COPYFILE_EXCL)
    sync(temporary)
    linkSync(temporary, to)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error // the agent has created the file meanwhile, and keeps it
  } finally {
    rmSync(temporary, { force: true })
  }
  syncFolder(dirname(to))
}

/** Calls `make`. Returns false if something else is where a folder should be. */
function unlessInTheWay(make: () => void): boolean {
  try {
    make()
    return true
  } catch (error) {
    if (['EEXIST', 'ENOTDIR', 'ELOOP', 'ENOENT'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

function attempt(make: () => void): void {
  try {
    make()
  } catch {}
}

function sync(file: string): void {
  const fd = openSync(file, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
