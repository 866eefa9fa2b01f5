/**
 * Lists the files below a folder that changed in the last seven days. svc asks for the list every few seconds. Files
 * and folders that changed lately are looked at each time, the others once a minute.
 */
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../machine/base/errors.ts'
import { keptSeconds } from './session.ts'

interface FoundFile {
  readonly path: string
  /** The names of the folders from the root down to the file, and the name of the file. */
  readonly parts: readonly string[]
  readonly stat: FileStat
}
type FileStat = Pick<Stats, 'ino' | 'size' | 'mtimeMs'>

interface FileListing {
  /** The file that changed last is the first. */
  readonly files: readonly FoundFile[]
  /** The number of folders that cannot be read. */
  readonly closed: number
  /** True if there are more files than are listed. */
  readonly hasMore: boolean
}

/** The tree that is listed. Links are not followed. */
export interface FileTree {
  readonly root: string
  /** True if the folder at this path below the root is searched. */
  readonly enters: (parts: readonly string[]) => boolean
  /** True if a file of this name is listed. */
  readonly takes: (name: string) => boolean
}

interface ListedFolder {
  readonly stamp: string | undefined
  readonly changed: number
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

const sweepMs = 60_000
/** Files and folders that changed within this time are looked at each time. */
const hotFileMs = 3_600_000
const hotFolderMs = 86_400_000
/** A folder that changed less than this long before a look is read again: a later change may have the same time. */
const freshMs = 2000
/** The maximum number of files that are listed. Each costs memory for as long as it is known. */
export const maxFiles = 4000

/**
 * Returns the function that lists the tree at `now` in Unix milliseconds. Files whose name `isHot` accepts are looked
 * at each time, such as those of open sessions.
 */
export function treeLister({
  root,
  enters,
  takes,
}: FileTree): (now: number, isHot?: (name: string) => boolean) => FileListing {
  const folders = new Map<string, ListedFolder | 'closed'>()
  let found = new Map<string, FoundFile>()
  let swept = Number.NEGATIVE_INFINITY

  return (now, isHot = () => false) => {
    const isSweep = now >= swept + sweepMs || now < swept
    if (isSweep) swept = now
    const next = new Map<string, FoundFile>()
    const visited = new Set<string>()
    let closed = 0
    const visit = (path: string, parts: readonly string[]): void => {
      visited.add(path)
      const known = folders.get(path)
      const isCold = known !== undefined && known !== 'closed' && known.changed < now - hotFolderMs
      const folder = isCold && !isSweep ? known : readFolder(path, parts, known, { now, enters, takes })
      if (folder === 'closed') closed++
      if (folder === undefined) folders.delete(path)
      else folders.set(path, folder)
      if (folder === undefined || folder === 'closed') return
      for (const name of folder.files) {
        const file = join(path, name)
        const before = found.get(file)
        const isDue = isSweep || (before && before.stat.mtimeMs > now - hotFileMs) || isHot(name)
        const stat = isDue || known !== folder ? statOf(file) : before?.stat
        if (stat && stat.mtimeMs > now - keptSeconds * 1000)
          next.set(file, { path: file, parts: [...parts, name], stat })
      }
      for (const name of folder.folders) visit(join(path, name), [...parts, name])
    }
    visit(root, [])
    found = next
    for (const path of folders.keys()) if (!visited.has(path)) folders.delete(path)
    const files = [...next.values()].sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)
    return { files: files.slice(0, maxFiles), closed, hasMore: files.length > maxFiles }
  }
}

function readFolder(
  path: string,
  parts: readonly string[],
  known: ListedFolder | 'closed' | undefined,
  { now, enters, takes }: Pick<FileTree, 'enters' | 'takes'> & { readonly now: number },
): ListedFolder | 'closed' | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isDirectory()) return undefined
    const stamp = `${stat.ino} ${stat.mtimeMs}`
    if (known !== undefined && known !== 'closed' && known.stamp === stamp) return known
    const entries = readdirSync(path, { withFileTypes: true })
    return {
      stamp: stat.mtimeMs < now - freshMs ? stamp : undefined,
      changed: stat.mtimeMs,
      files: entries.filter((one) => one.isFile() && takes(one.name)).map(({ name }) => name),
      folders: entries.filter((one) => one.isDirectory() && enters([...parts, one.name])).map(({ name }) => name),
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return 'closed'
  }
}

function statOf(file: string): FileStat | undefined {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat?.isFile() ? { ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs } : undefined
  } catch {
    return undefined // its folder can no longer be read
  }
}
