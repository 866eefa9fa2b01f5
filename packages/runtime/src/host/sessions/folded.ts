/** Reads all growing files of a tree, and keeps only what a function computes from the lines of each. */
import { counted } from '../../machine/base/sentence.ts'
import { type GrowingFile, growingFile } from './growing.ts'
import { type FileTree, maxFiles, treeLister } from './listing.ts'
import type { Look } from './session.ts'
import { type JsonObject, objectIn } from './values.ts'

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
