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
  /** `why` is present if a reader knows more than that the file is absent. */
  | { readonly is: 'missing'; readonly why?: string }
  /** `why` is the end of a sentence that begins with the name of the file. */
  | { readonly is: 'unreadable'; readonly why: string; readonly leadsNowhere?: true }

/** Reads a regular file of at most `max` bytes. `open` opens the file for reading, without waiting. */
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

/** Reads a text that a person wrote. */
export function readTextFile(file: string, max: number): TextFileRead {
  const read = readFile(file, max)
  if (read.is !== 'bytes') return read
  const decoded = readText(read.bytes)
  return decoded.ok ? { is: 'text', text: decoded.text } : { is: 'unreadable', why: decoded.why }
}

const tooLarge = (max: number): string => `is larger than ${limitText(max)}`

/**
 * Says why a file could not be opened. A file is missing only if its name does not exist. A link that leads nowhere was
 * made by somebody, so it is unreadable instead.
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
  // Notes are read many times a minute, and a buffer that is much larger than the file costs more than reading it. The
  // buffer has room for one byte more than expected, so that the end of the file is seen without a larger one.
  let bytes = Buffer.alloc(Math.min(max, expected + 1))
  for (let total = 0; total < max; ) {
    if (total === bytes.length) bytes = Buffer.concat([bytes], Math.min(max, 2 * total))
    const got = readSync(fd, bytes, total, bytes.length - total, position === null ? null : position + total)
    if (got === 0) return bytes.subarray(0, total)
    total += got
  }
  return bytes
}
