/**
 * Reads small files that may be missing, damaged or not regular files. A file that cannot be read never counts as
 * missing, and reading never blocks, not even on a named pipe.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { limitText, readText } from '@svc/protocol'

/** The result of reading a file: its bytes, or why there are none. */
export type FileRead = { readonly is: 'bytes'; readonly bytes: Buffer; readonly mtimeMs: number } | NotRead
type TextFileRead = { readonly is: 'text'; readonly text: string } | NotRead
type NotRead =
  /** `why` is present only for a status file that is a link leading nowhere. */
  | { readonly is: 'missing'; readonly why?: string }
  /** `why` is the end of a sentence that begins with the name of the file. */
  | { readonly is: 'unreadable'; readonly why: string; readonly leadsNowhere?: true }

/** Reads a regular file of at most `max` bytes. `open` can be given to replace `openSync`. */
export function readFile(
  file: string,
  max: number,
  open: (file: string, flags: number) => number = openSync,
): FileRead {
  let fd: number
  try {
    fd = open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return whyNotOpen(file, error)
  }
  try {
    const stat = fstatSync(fd)
    const { size, mtimeMs } = stat
    if (!stat.isFile()) return { is: 'unreadable', why: 'is not a regular file' }
    if (size > max) return { is: 'unreadable', why: tooLarge(max) }
    const bytes = readUpTo(fd, max + 1, { expected: size })
    if (bytes.length > max) return { is: 'unreadable', why: tooLarge(max) }
    return { is: 'bytes', bytes, mtimeMs }
  } catch (error) {
    return { is: 'unreadable', why: `cannot be read (${codeOf(error)})` }
  } finally {
    closeSync(fd)
  }
}

/** Reads a file of at most `max` bytes as text. */
export function readTextFile(file: string, max: number): TextFileRead {
  const read = readFile(file, max)
  if (read.is !== 'bytes') return read
  const decoded = readText(read.bytes)
  return decoded.ok ? { is: 'text', text: decoded.text } : { is: 'unreadable', why: decoded.why }
}

const tooLarge = (max: number): string => `is larger than ${limitText(max)}`

/**
 * Says why a file could not be opened. It is missing only if nothing has its name. A link that leads nowhere is
 * unreadable, since somebody made it.
 */
function whyNotOpen(file: string, error: unknown): NotRead {
  const code = codeOf(error)
  if (code === 'ELOOP') return { is: 'unreadable', why: 'is a link that cannot be followed (ELOOP)' }
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return { is: 'unreadable', why: `cannot be opened (${code})` }
  return isLink(file)
    ? { is: 'unreadable', why: 'is a link that leads nowhere', leadsNowhere: true }
    : { is: 'missing' }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch {
    return false
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'

/**
 * Reads from an open file until its end, or until `max` bytes are read. Reading starts at `position`, or by default at
 * the current position of the file. `expected` is the probable number of bytes.
 */
export function readUpTo(
  fd: number,
  max: number,
  { position = null, expected = 65_536 }: { position?: number | null; expected?: number } = {},
): Buffer {
  // The buffer has one byte more than expected, so that reading a file of the expected size needs no larger buffer to
  // see the end of the file.
  let bytes = Buffer.alloc(Math.min(max, expected + 1))
  for (let total = 0; total < max; ) {
    if (total === bytes.length) bytes = Buffer.concat([bytes], Math.min(max, 2 * total))
    const got = readSync(fd, bytes, total, bytes.length - total, position === null ? null : position + total)
    if (got === 0) return bytes.subarray(0, total)
    total += got
  }
  return bytes
}
