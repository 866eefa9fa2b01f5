/**
 * `last.log` of a job: the output of its last run. The command writes into the file itself, not through a pipe, so a
 * killed svc breaks nothing. A file that grows too long is emptied in place.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../machine/base/errors.ts'
import { openOwnFile } from '../../machine/files/own.ts'
import type { LogEnd } from '../../state/logs/mask.ts'
import { replaceFile } from './files.ts'

/** The size in bytes above which the file is emptied. */
const maxLogBytes = 2 * 1024 * 1024
/** The number of bytes at the end of a larger file that are kept. */
const keptBytes = 256 * 1024

export interface LastLog {
  readonly fd: number
  /**
   * If the file has become too large, moves its end to `last.log.1` and empties the file. Before that, removes the log
   * of the previous run if the disk would otherwise have too little room for this file.
   */
  trim(): void
  /**
   * Shortens a file that has become too large, once the command has ended. If `trim` moved text away and little was
   * printed since, the moved text is put back in front, since it may hold the reason of a failure.
   */
  close(): void
  /** Returns the last bytes of the output, including text that `trim` moved away. Call it before `close`. */
  end(): LogEnd
}

/**
 * Opens a new log. The log of the previous run becomes `last.log.1`, unless the disk is too full for both. Throws if
 * there is no room for a log, since the command would fail to write its output.
 */
export function openLastLog(folder: string): LastLog {
  const file = join(folder, 'last.log')
  const before = `${file}.1`
  if (!makeRoom(folder, maxLogBytes + keptBytes, [before, file]))
    throw new Error(`the file system at ${folder} is full`)
  try {
    renameSync(file, before)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const fd = openOwnFile(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
  let hasMoved = false
  const isCurrent = () => statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino
  return {
    fd,
    trim: () => {
      const { size } = fstatSync(fd)
      if (size <= maxLogBytes) {
        if (!hasMoved) makeRoom(folder, maxLogBytes - size, [before])
        return
      }
      const end = endOf(fd)
      ftruncateSync(fd, 0)
      // a run that began meanwhile has moved this file to the place of the earlier log
      if (!isCurrent()) return
      replaceFile(before, end)
      hasMoved = true
    },
    close: () => {
      const { size } = fstatSync(fd)
      const isJoined = hasMoved && size < keptBytes && isCurrent()
      if (size <= maxLogBytes && !isJoined) return
      const end = isJoined ? lineEnd(Buffer.concat([movedTo(before), endOf(fd)])) : endOf(fd)
      ftruncateSync(fd, 0)
      writeAll(fd, end)
    },
    end: () => {
      const isMoved = hasMoved && isCurrent()
      const last = endOf(fd)
      const bytes = isMoved && last.length < keptBytes ? Buffer.concat([movedTo(before), last]) : last
      return { bytes, isWhole: !hasMoved && fstatSync(fd).size <= keptBytes }
    },
  }
}

/**
 * Removes earlier logs, in the given order, until there is this much room in the folder, and returns true. If the
 * removal of all would not be enough, removes nothing and returns false.
 */
function makeRoom(folder: string, bytes: number, earlier: readonly string[]): boolean {
  const { bavail, bsize } = statfsSync(folder)
  let room = bavail * bsize
  const needed: string[] = []
  for (const file of earlier) {
    if (room >= bytes) break
    room += (statSync(file, { throwIfNoEntry: false })?.blocks ?? 0) * 512
    needed.push(file)
  }
  if (room < bytes) return false
  for (const file of needed) rmSync(file, { force: true })
  return true
}

/** Reads the last `keptBytes` of a file. If the file is longer, the part is cut to whole lines by `fromLine`. */
function endOf(fd: number): Buffer {
  const bytes = Buffer.alloc(keptBytes)
  const size = fstatSync(fd).size
  let length = 0
  for (let got = -1; got !== 0 && length < keptBytes; length += got)
    got = readSync(fd, bytes, length, keptBytes - length, Math.max(0, size - keptBytes) + length)
  return size > length ? fromLine(bytes.subarray(0, length)) : bytes.subarray(0, length)
}

const lineEnd = (bytes: Buffer): Buffer => (bytes.length > keptBytes ? fromLine(bytes.subarray(-keptBytes)) : bytes)

/** Drops the text before the first line break, unless that is half of the text or more. */
function fromLine(bytes: Buffer): Buffer {
  const line = bytes.indexOf(0x0a) + 1
  return bytes.subarray(line < bytes.length / 2 ? line : 0)
}

function movedTo(file: string): Buffer {
  const fd = openOwnFile(file, constants.O_RDONLY)
  try {
    return endOf(fd)
  } finally {
    closeSync(fd)
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}
