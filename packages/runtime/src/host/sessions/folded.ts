/**
 * Reads the growing files below a folder that changed in the last seven days, and keeps only what a function computes
 * from the lines of each. svc asks for this every few seconds. Files and folders that changed lately are looked at each
 * time, the others once a minute.
 */
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../machine/base/errors.ts'
import { counted } from '../../machine/base/sentence.ts'
import { type GrowingFile, growingFile } from './growing.ts'
import { keptSeconds, type Look } from './session.ts'
import { type JsonObject, objectIn } from './values.ts'

/** The tree that is listed. Links are not followed. */
interface FileTree {
  readonly root: string
  /** True if the folder at this path below the root is searched. */
  readonly enters: (parts: readonly string[]) => boolean
  /** True if a file of this name is listed. */
  readonly takes: (name: string) => boolean
}

interface FoldRules<T> {
  /** The result of a file without lines. */
  readonly empty: T
  /** The result after one more line. */
  readonly fold: (before: T, line: JsonObject, dayOf: Look['dayOf']) => T
  /** The result after a line that is not a JSON object. */
  readonly odd: (before: T) => T
  /** The result after added lines were skipped. If absent, skipped lines change nothing. */
  readonly skip?: (before: T) => T
  /** The bytes at the end of a file that are read at first. */
  readonly tail: number
  /** Decides from the bytes of a long line whether it must be parsed. If absent, all lines are. */
  readonly needs?: (line: Buffer) => boolean
}

/** A file with the result computed from its lines. */
export interface FoldedFile<T> {
  readonly parts: readonly string[]
  readonly result: T
  /** True if lines are missing: they were skipped, or not read yet. */
  readonly hasGaps: boolean
  /** True if the file changed today. */
  readonly isNew: boolean
  /** When the file changed, in Unix seconds. */
  readonly changed: number
}

interface FoldedTree<T> {
  /** The file that changed last is the first. */
  readonly files: readonly FoldedFile<T>[]
  /** Parts of a sentence that say how many files and folders cannot be read. */
  readonly faults: readonly string[]
  /** Parts of a sentence about files that are left out on purpose. */
  readonly remarks: readonly string[]
}

/** The maximum number of files that are listed. Each costs memory for as long as it is known. */
export const maxFiles = 4000
/** A line longer than this many bytes is parsed only if `needs` accepts it: lines with pictures have megabytes. */
const longLine = 128 * 1024

/** Returns a function that reads what was added to the files of a tree and gives the result for each file. */
export function createTreeReader<T>(
  tree: FileTree,
  folding: FoldRules<T>,
): (look: Look, hot: (name: string) => boolean) => FoldedTree<T> {
  const list = treeLister(tree)
  const known = new Map<string, FileReader<T>>()
  return (look, hot) => {
    const { files, closed, hasMore } = list(look.now, hot)
    const paths = new Set(files.map(({ path }) => path))
    for (const path of known.keys()) if (!paths.has(path)) known.delete(path)
    let unreadable = 0
    const today = look.dayOf(look.now / 1000)
    const folded = files.map(({ path, parts, stat }): FoldedFile<T> => {
      const one = known.get(path) ?? fileReader(path, folding)
      known.set(path, one)
      if (!one.file.isRead(stat) && !hasRead(one, look)) unreadable++
      const changed = stat.mtimeMs / 1000
      return {
        ...{ parts, result: one.result(), hasGaps: one.file.hasGaps || !one.file.isRead(stat) },
        ...{ isNew: look.dayOf(changed) === today, changed: Math.floor(changed) },
      }
    })
    return {
      files: folded,
      faults: [...countFault(unreadable, 'file'), ...countFault(closed, 'folder')],
      remarks: hasMore ? [`only its newest ${maxFiles} files are read`] : [],
    }
  }
}

const countFault = (number: number, what: string): string[] =>
  number === 0 ? [] : [`${counted(number, what)} cannot be read`]

/** False if the file cannot be read. A file for which the budget is not enough is read at the next look. */
function hasRead<T>({ read }: FileReader<T>, look: Look): boolean {
  try {
    if (look.budget.left > 0) read(look)
    return true
  } catch {
    return false
  }
}

interface FileReader<T> {
  readonly file: GrowingFile
  readonly read: (look: Look) => void
  readonly result: () => T
}

function fileReader<T>(path: string, { empty, fold, odd, skip, tail, needs }: FoldRules<T>): FileReader<T> {
  let result = empty
  // Each look replaces this function, since the zone of the machine may change between two looks.
  let dayOf: Look['dayOf'] = () => 0
  const file = growingFile(path, tail, {
    reset: () => {
      result = empty
    },
    skip: () => {
      result = skip?.(result) ?? result
    },
    take: (line) => {
      if (line.length === 0 || (line.length > longLine && needs?.(line) === false)) return
      const value = objectIn(line)
      result = value ? fold(result, value, dayOf) : odd(result)
    },
  })
  const read = (look: Look) => {
    dayOf = look.dayOf
    file.read(look.budget)
  }
  return { file, read, result: () => result }
}

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

/**
 * Returns the function that lists the tree at `now` in Unix milliseconds. Files whose name `isHot` accepts are looked
 * at each time, such as those of open sessions.
 */
function treeLister({
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
