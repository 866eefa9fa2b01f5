/**
 * Remembers at which state paths the bundle of a version contains a file (3.3), so that no folder is created there
 * after the agent has deleted the file. The unpacked version no longer has these files, since they were moved to the
 * state.
 */
import { fileNamesIn, writeDurably } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { readJsonObject } from '../machine/files/read.ts'

/**
 * The state paths at which a version's bundle contains a file, for each version; the key is the name of the version's
 * folder.
 */
type ShippedPaths = Readonly<Record<string, readonly string[]>>
/** The key that stands for all versions. It is used in the copy of an agent in which a drill works (`copyShipped`). */
const everyVersion = '*'

/** The state paths at which the bundle of a version contains a file. */
export function shippedFiles(folder: Folder, version: string | undefined): ReadonlySet<string> {
  const all = read(folder)
  return new Set([...(all[everyVersion] ?? []), ...((version !== undefined && all[version]) || [])])
}

/**
 * Copies the state paths of one version into `to`, the copy of an agent in which a drill works. There, they count for
 * all versions.
 */
export const copyShipped = (from: Folder, version: string | undefined, to: Folder): void =>
  rememberShipped(to, everyVersion, [...shippedFiles(from, version)])

/** Stores the paths of one version, and forgets versions that are no longer on the disk. */
export function rememberShipped(folder: Folder, version: string, paths: readonly string[]): void {
  const { [version]: before, ...others } = read(folder)
  if (paths.length === 0 && before === undefined) return
  const here = new Set(fileNamesIn(folder.versions))
  const kept = Object.entries(others).filter(([name]) => name === everyVersion || here.has(name))
  const shipped: ShippedPaths = { ...Object.fromEntries(kept), ...(paths.length > 0 && { [version]: paths }) }
  createFolders(folder)
  writeDurably(folder.shipped, JSON.stringify(shipped), 0o600)
}

function read(folder: Folder): ShippedPaths {
  const kept = Object.entries(readJsonObject(folder.shipped, 1024 * 1024) ?? {})
  return Object.fromEntries(kept.filter((entry): entry is [string, string[]] => isTexts(entry[1])))
}
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
