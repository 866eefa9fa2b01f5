/** Reads small files that may be missing, damaged or not regular files. It never blocks, not even on a named pipe. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isObject } from '@svc/protocol'
import { codeOf } from '../base/errors.ts'

export type FileRead =
  | { readonly is: 'bytes'; readonly bytes: Buffer; readonly mtimeMs: number }
  | { readonly is: 'missing' }
  | { readonly is: 'unreadable'; readonly why: string }

/**
 * Reads a regular file of at most `max` bytes. On failure, `why` is the end of a sentence that begins with the file's
 * name. `open` opens the file for reading, without waiting.
 */
export function readFile(
  file: string,
  max: number,
  open: (file: string, flags: number) => number = openSync,
): FileRead {
  let fd: number
  try {
    fd = open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { is: 'missing' }
    return { is: 'unreadable', why: `cannot be opened (${code ?? 'unknown error'})` }
  }
  try {
    const stat = fstatSync(fd)
    const { size, mtimeMs } = stat
    if (!stat.isFile()) return { is: 'unreadable', why: 'is not a regular file' }
    if (size > max) return { is: 'unreadable', why: `is larger than ${Math.floor(max / 1024)} KB` }
    const bytes = readUpTo(fd, max + 1, { expected: size })
    if (bytes.length > max) return { is: 'unreadable', why: `is larger than ${Math.floor(max / 1024)} KB` }
    return { is: 'bytes', bytes, mtimeMs }
  } catch (error) {
    return { is: 'unreadable', why: `cannot be read (${codeOf(error) ?? 'unknown error'})` }
  } finally {
    closeSync(fd)
  }
}

/** The object in a JSON file; undefined if the file is missing or holds no object. */
export function readJsonObject(file: string, max = 16 * 1024 * 1024): Record<string, unknown> | undefined {
  const read = readFile(file, max)
  if (read.is !== 'bytes') return undefined
  try {
    const parsed: unknown = JSON.parse(read.bytes.toString('utf8'))
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads from an open file until its end, or until `max` bytes are read. Reading starts at `position`, or by default at
 * the current position of the file. `expected` is the probable number of bytes.
 */
export function readUpTo(
  fd: number,
  max: number,
  { position = null, expected = 65_536 }: { position?: number | null; expected?: number } = {},
): Buffer {
  // Notes are read many times a minute, and a buffer that is much larger than the file costs more than reading it. One
  // byte more than expected shows that the file ends there.
  let bytes = Buffer.alloc(Math.min(max, expected + 1))
  for (let total = 0; total < max; ) {
    if (total === bytes.length) bytes = Buffer.concat([bytes], Math.min(max, 2 * total))
    const got = readSync(fd, bytes, total, bytes.length - total, position === null ? null : position + total)
    if (got === 0) return bytes.subarray(0, total)
    total += got
  }
  return bytes
}
