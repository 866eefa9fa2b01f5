/**
 * Finds conflicts between paths that are valid by themselves (4, acceptance rules; D49): too many folders, a name that
 * occurs twice, names that are too similar, a file where another path needs a folder. Each distinct folder is checked
 * once, so deep paths do not take more time.
 */
import { limits } from '@svc/protocol'
import { pathKey } from '../key.ts'
import { type BundleFinding, shownPath } from './findings.ts'
import type { NamedPath } from './paths.ts'

export const tooManyFolders = `has more than ${limits.bundleFolders} folders (a path such as a/b/c needs two)`

interface Folder {
  readonly path: string
  readonly key: string
  /** The parent folder; absent for a folder at the root of the bundle. */
  readonly above?: Folder
}

/**
 * Returns the folders that the paths name and all their parents, each once and after its parent. Returns undefined if
 * there are too many folders.
 */
export function foldersOf(named: readonly NamedPath[]): ReadonlyMap<string, Folder> | undefined {
  const folders = new Map<string, Folder>()
  for (const { path } of named) {
    const lowest = path.endsWith('/') ? path.slice(0, -1) : parentOf(path)
    for (const folder of unknownPaths(lowest, folders)) {
      if (folders.size === limits.bundleFolders) return undefined
      folders.set(folder, folderAt(folder, folders))
    }
  }
  return folders
}

/** Returns the paths of the folder `lowest` and of its parents, the topmost first, without those in `known`. */
function unknownPaths(lowest: string, known: ReadonlyMap<string, Folder>): string[] {
  const found: string[] = []
  for (let path = lowest; path !== '' && !known.has(path); path = parentOf(path)) found.push(path)
  return found.reverse()
}

function folderAt(path: string, known: ReadonlyMap<string, Folder>): Folder {
  const above = known.get(parentOf(path))
  return { path, key: keyBelow(above, path), ...(above && { above }) }
}

/** Finds all conflicts between the paths. If there are too many folders, nothing else is reported. */
export function wrongBetween(named: readonly NamedPath[]): BundleFinding[] {
  const folders = foldersOf(named)
  if (!folders) return [{ file: '', message: tooManyFolders }]
  const findings: BundleFinding[] = []
  const files = new Map<string, string>()
  const known = new Map<string, string>()
  const listed = new Set<string>()
  for (const { path } of named) {
    const isFolder = path.endsWith('/')
    const plain = isFolder ? path.slice(0, -1) : path
    const key = isFolder ? (folders.get(plain)?.key ?? '') : keyBelow(folders.get(parentOf(path)), path)
    if (listed.has(key)) findings.push({ file: path, message: twiceText(plain, files.get(key) ?? known.get(key)) })
    listed.add(key)
    ;(isFolder ? known : files).set(key, plain)
  }
  const clashes = wrongFolders(folders, files, known)
  for (const { path } of named) {
    const own = path.endsWith('/') ? path.slice(0, -1) : path
    const messages = clashes.get(parentOf(own)) ?? []
    findings.push(...messages.map((message) => ({ file: path, message })))
  }
  return findings
}

/**
 * Returns the messages about the conflicts of each folder, by its path. The messages of a folder include those of its
 * parents.
 */
function wrongFolders(
  folders: ReadonlyMap<string, Folder>,
  files: ReadonlyMap<string, string>,
  known: Map<string, string>,
): Map<string, readonly string[]> {
  const clashes = new Map<string, readonly string[]>()
  for (const { path, key, above } of folders.values()) {
    const message = wrongFolder(path, files.get(key), known.get(key))
    if (message === undefined && !known.has(key)) known.set(key, path)
    const inherited = (above && clashes.get(above.path)) ?? none
    clashes.set(path, message === undefined ? inherited : [...inherited, message])
  }
  return clashes
}
const none: readonly string[] = []

function wrongFolder(path: string, file: string | undefined, known: string | undefined): string | undefined {
  if (file !== undefined) return `needs "${shownPath(file)}" as a folder, which is a file`
  if (known === undefined || known === path) return undefined
  return `is in "${shownPath(path)}", which some file systems take for "${shownPath(known)}"`
}

const twiceText = (path: string, before: string | undefined): string =>
  before === undefined || before === path
    ? 'appears twice'
    : `appears twice for file systems that take it for "${shownPath(before)}"`

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const keyBelow = (above: Folder | undefined, path: string): string =>
  `${above?.key ?? ''}/${pathKey(path.slice(path.lastIndexOf('/') + 1))}`
