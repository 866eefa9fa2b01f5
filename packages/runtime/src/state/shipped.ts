/**
 * The state paths at which a version's bundle ships a file (3.3). Such a path is a file even after the agent has
 * deleted it. The seed is moved out of the unpacked version, so this is noted here for later starts.
 */
import { namesIn, writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'

/** The paths for each version, by the name of its folder. */
type Shipped = Readonly<Record<string, readonly string[]>>
/** Stands for all versions of a drill's copy, which is packed without the seeds. */
const every = '*'

export function shippedFiles(folder: Folder, version: string | undefined): ReadonlySet<string> {
  const all = read(folder)
  return new Set([...(all[every] ?? []), ...((version !== undefined && all[version]) || [])])
}

/** Notes for a drill that the same paths are files in the copy, in any version. */
export const copyShipped = (from: Folder, version: string | undefined, to: Folder): void =>
  rememberShipped(to, every, [...shippedFiles(from, version)])

/** Notes the paths of a version, and forgets versions that no longer exist. */
export function rememberShipped(folder: Folder, version: string, paths: readonly string[]): void {
  const { [version]: before, ...others } = read(folder)
  if (paths.length === 0 && before === undefined) return
  const here = new Set(namesIn(folder.versions))
  const kept = Object.entries(others).filter(([name]) => name === every || here.has(name))
  const shipped: Shipped = { ...Object.fromEntries(kept), ...(paths.length > 0 && { [version]: paths }) }
  prepare(folder)
  writeDurably(folder.shipped, JSON.stringify(shipped), 0o600)
}

function read(folder: Folder): Shipped {
  const kept = Object.entries(readJsonObject(folder.shipped, 1024 * 1024) ?? {})
  return Object.fromEntries(kept.filter((entry): entry is [string, string[]] => isTexts(entry[1])))
}
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
