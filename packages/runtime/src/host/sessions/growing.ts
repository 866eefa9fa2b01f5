/**
 * Reads text files to which other programs append lines, such as the records of AI tools. Each line is read once, and
 * no file stays open between two looks. A large file is not read whole: its first line and its end are enough.
 */
import { closeSync, constants, fstatSync, readSync, type Stats } from 'node:fs'
import { openOwnFile } from '../../machine/files/own.ts'

/** The bytes of text that one look may read. All files of a look share them. */
export interface Budget {
  left: number
}
/** The maximum number of bytes of text that one look reads. */
export const maxLookBytes = 8 * 1024 * 1024
export const newBudget = (): Budget => ({ left: maxLookBytes })

/** The maximum number of bytes of a line. A longer line is passed over. */
export const maxLineBytes = 8 * 1024 * 1024
/** The number of bytes at the beginning of a file by which svc notices that another file has replaced it. */
const headBytes = 64
const chunkBytes = 64 * 1024

/** Takes the lines of a file. */
interface LineTaker {
  /** Takes a line without its end. The buffer is reused after the call. */
  take(line: Buffer): void
  /** Forgets all lines: the file is another one, or shorter than before. */
  reset(): void
  /** Called when the file grew by more than `tail` bytes, so that lines before the next one are skipped. */
  skip(): void
}

/** The reader of one file, which remembers how far it has read. */
export interface GrowingFile {
  /** Reads what was added, as far as the budget allows. Throws if the file does not belong to this user. */
  read(budget: Budget): void
  /** True if the file has the size that it had after the last read, so there is nothing to do. */
  isRead(stat: Pick<Stats, 'ino' | 'size'>): boolean
  /** True if lines were skipped, because the file or a line is too large. */
  readonly hasGaps: boolean
}

/** The position up to which a file was read. */
interface ReadPosition {
  readonly dev: number
  readonly ino: number
  readonly head: Buffer
  /** The start of the first line that was not taken yet. */
  offset: number
  /** The position up to which the end of that line was searched. The next read continues here. */
  searched: number
  /** The size of the file if it was read to its end, otherwise `offset`. */
  size: number
  /** True while the rest of a line is skipped. */
  skips: boolean
}

/** Makes the reader of a file. If more than `tail` bytes are new, it reads only the last `tail` and the first line. */
export function growingFile(file: string, tail: number, taker: LineTaker): GrowingFile {
  let position: ReadPosition | undefined
  let hasGaps = false

  const open = (fd: number, stat: Stats): ReadPosition => {
    if (
      position &&
      position.dev === stat.dev &&
      position.ino === stat.ino &&
      stat.size >= position.size &&
      hasHead(fd, position)
    )
      return position
    if (position) taker.reset()
    hasGaps = false
    const head = readAt(fd, 0, Buffer.alloc(Math.min(headBytes, stat.size)))
    return { dev: stat.dev, ino: stat.ino, head, offset: 0, searched: 0, size: 0, skips: false }
  }

  const jump = (fd: number, at: ReadPosition, size: number): void => {
    if (size - at.offset <= tail) return
    if (at.offset === 0) takeFirst(fd, taker)
    else taker.skip()
    hasGaps = true
    at.offset = size - tail
    at.searched = at.offset
    at.skips = true
  }

  return {
    get hasGaps() {
      return hasGaps
    },
    isRead: ({ ino, size }) => position !== undefined && position.ino === ino && position.size === size,
    read(budget) {
      const fd = openOwnFile(file, constants.O_RDONLY)
      try {
        const stat = fstatSync(fd)
        const at = open(fd, stat)
        position = at
        jump(fd, at, stat.size)
        if (readLines(fd, at, stat.size, taker, budget)) hasGaps = true
      } finally {
        closeSync(fd)
      }
    },
  }
}

/** The buffer of all reads. They can share it, because they are synchronous. */
const chunk = Buffer.allocUnsafe(chunkBytes)
const newline = 0x0a

/** Takes the whole lines between the position and `size`. Returns true if it passed over a line that is too long. */
function readLines(fd: number, at: ReadPosition, size: number, taker: LineTaker, budget: Budget): boolean {
  let hasLong = false
  let parts: Buffer[] = []
  /** The number of bytes of the line that an earlier look read and did not keep. */
  let earlier = at.searched - at.offset
  let length = earlier
  let position = at.searched
  while (position < size && budget.left > 0) {
    const wanted = Math.min(chunkBytes, size - position, budget.left)
    const read = readSync(fd, chunk, 0, wanted, position)
    if (read === 0) break
    budget.left -= read
    position += read
    for (let from = 0; from < read; ) {
      const end = chunk.subarray(0, read).indexOf(newline, from)
      const rest = chunk.subarray(from, end < 0 ? read : end)
      if (end < 0) {
        if (!at.skips) {
          parts.push(Buffer.from(rest))
          length += rest.length
        }
        break
      }
      if (!at.skips) {
        const start = earlier === 0 ? [] : [readAt(fd, at.offset, Buffer.allocUnsafe(earlier))]
        taker.take(parts.length + earlier === 0 ? rest : Buffer.concat([...start, ...parts, rest]))
        budget.left = Math.max(0, budget.left - earlier)
      }
      parts = []
      earlier = 0
      length = 0
      at.skips = false
      from = end + 1
      at.offset = position - read + from
    }
    if (length >= maxLineBytes) {
      hasLong = true
      at.skips = true
      parts = []
      earlier = 0
      length = 0
    }
    if (at.skips) at.offset = position
  }
  at.searched = Math.max(at.offset, position)
  at.size = position >= size ? size : at.offset
  return hasLong
}

/** Takes the first line of a file whose middle is passed over, unless the line is too long. */
function takeFirst(fd: number, taker: LineTaker): void {
  for (let bytes = chunkBytes; bytes <= firstLineBytes; bytes *= 4) {
    const start = readAt(fd, 0, Buffer.allocUnsafe(bytes))
    const end = start.indexOf(newline)
    if (end >= 0) taker.take(start.subarray(0, end))
    if (end >= 0 || start.length < bytes) return
  }
}
const firstLineBytes = 1024 * 1024

function readAt(fd: number, position: number, into: Buffer): Buffer {
  return into.subarray(0, readSync(fd, into, 0, into.length, position))
}

const hasHead = (fd: number, { head }: ReadPosition): boolean => readAt(fd, 0, Buffer.alloc(head.length)).equals(head)
