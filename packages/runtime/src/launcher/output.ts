/**
 * The file into which the agent prints. A pipe to the runtime would break when the runtime ends, and end the agent,
 * too. The runtime rotates the file while the agent runs: it copies the file and empties it in place. The agent has the
 * file open for appending, so it continues at the new beginning.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { codeOf } from '../machine/base/errors.ts'
import { createFolder } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { takeSpare } from '../machine/files/reserve.ts'
import { failureReason, isDiskFault, isNoRoom, spaceAt } from '../machine/files/space.ts'
import { openForOutput } from '../state/logs/open.ts'
import { maxOlderFiles, planFreeing, planRotation, type RemovedFile, type RotatedOutput } from './rotation.ts'

/** The maximum size of the agent's output file in bytes. A larger file is rotated. */
export const maxOutputBytes = 5 * 1024 * 1024
const copyBytes = 256 * 1024

/** The file that is open for the output of the agent's process. */
export interface Output {
  readonly fd: number
  /** Why the output is lost: no file could be opened for it, so it goes to `/dev/null`. */
  readonly lost?: string
  /**
   * The log of the manifest into which the output goes; absent if it goes into the runtime's file `.svc/log/agent.log`.
   */
  readonly declared?: string
}

/**
 * Opens the output file for a new process: the log that the manifest declares for output if its path is valid,
 * otherwise the runtime's own file. An invalid path never makes a start fail.
 */
export function openOutput(folder: Folder, declared?: string): Output {
  const fd = declared === undefined ? undefined : openForOutput(folder, declared)
  if (fd !== undefined && declared !== undefined) return { fd, declared }
  return ownOutput(folder)
}

/**
 * Opens the runtime's own file. If there is no room to create it, it is made from the reserve. If the disk refuses even
 * that, the agent is started anyway, and its output is lost.
 */
function ownOutput(folder: Folder): Output {
  try {
    createFolder(folder.log, 0o700)
    return { fd: openSync(folder.output, 'a', 0o600) }
  } catch (error) {
    const spare = isNoRoom(error) ? takeSpare(folder.output, 'state') : undefined
    if (spare === undefined) {
      if (!isDiskFault(error)) throw error
      return { fd: openSync('/dev/null', 'a'), lost: failureReason(error, folder.log) }
    }
    closeSync(spare)
    return { fd: openSync(folder.output, O_EMPTIED, 0o600) }
  }
}
const O_EMPTIED = constants.O_WRONLY | constants.O_APPEND | constants.O_TRUNC

/**
 * Rotates the file if it is larger than `maxBytes`; otherwise, if there is no room for the file to grow to this size,
 * removes the oldest of its older files. Undefined if nothing was done. Throws if the file cannot be emptied.
 */
export function rotateOutput(file: string, maxBytes: number = maxOutputBytes): RotatedOutput | RemovedFile | undefined {
  const size = sizeOf(file) ?? 0
  if (size <= maxBytes) return freeOlder(file, size, maxBytes)
  // The file is emptied even if nothing could be copied. Output that is printed after the copy and before the file is
  // emptied is lost.
  const fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    const copied = copyAway(fd, file, size)
    ftruncateSync(fd)
    return copied
  } finally {
    closeSync(fd)
  }
}

/**
 * Removes the oldest file if room is short. A call removes only one: if other programs take the freed room, removing
 * more would not help.
 */
function freeOlder(file: string, size: number, maxBytes: number): RemovedFile | undefined {
  const facts = { size, older: olderSizes(file), free: spaceAt(file)?.freeBytes }
  const number = planFreeing(facts, maxBytes)
  if (number === undefined) return undefined
  const removed = `${file}.${number}`
  rmSync(removed, { force: true })
  return { removed }
}

const olderSizes = (file: string): (number | undefined)[] =>
  Array.from({ length: maxOlderFiles }, (_, i) => sizeOf(`${file}.${i + 1}`))

const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size

/** Copies the end of the open file to the path of the newest older file, as far as there is room. */
function copyAway(fd: number, file: string, size: number): RotatedOutput {
  const older = olderSizes(file)
  const temporary = `${file}.new`
  try {
    // if somebody put a link at this path, the link itself is removed
    rmSync(temporary, { force: true })
    const plan = planRotation({ size, older, free: spaceAt(file)?.freeBytes })
    if (plan.reuse) reuse(`${file}.${maxOlderFiles}`, temporary)
    const { from, to, error } = plan.copy === 0 ? emptyRange(size) : copyEnd(fd, temporary, size - plan.copy)
    const [copied, of] = [to - from, Math.max(size, to)]
    if (copied > 0) {
      for (let n = maxOlderFiles; n > 1; n--) move(`${file}.${n - 1}`, `${file}.${n}`)
      renameSync(temporary, `${file}.1`)
    }
    if (copied === of) return { copied, of }
    return { copied, of, why: failureReason(error ?? noRoom, file) }
  } catch (error) {
    return { copied: 0, of: size, why: failureReason(error, file) }
  } finally {
    removeQuietly(temporary)
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // the next rotation reports the same error
  }
}

const noRoom = Object.assign(new Error('no room'), { code: 'ENOSPC' })

/** Moves the oldest file to the path of the copy, or only removes it if it is a link or has a second name. */
function reuse(oldest: string, temporary: string): void {
  const stat = lstatSync(oldest)
  if (stat.isFile() && stat.nlink === 1) renameSync(oldest, temporary)
  else rmSync(oldest, { force: true })
}

interface CopiedRange {
  readonly from: number
  readonly to: number
  readonly error?: unknown
}

/**
 * Copies the open file from this position to its end, with what is appended meanwhile. If that fails, for example on a
 * full disk, the copy does not grow further, and as much of the end of the open file as fits overwrites it.
 */
function copyEnd(fd: number, to: string, position: number): CopiedRange {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  const out = openSync(to, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    if (!fstatSync(out).isFile() || fstatSync(out).nlink !== 1) throw new Error(`${to} is not a file of its own`)
    fchmodSync(out, fstatSync(fd).mode & 0o777)
    const first = position === 0 ? 0 : nextLine(fd, position)
    const one = copyRange(fd, out, first)
    if (one.error === undefined) {
      ftruncateSync(out, one.to - first)
      return one
    }
    const held = one.to - first
    const from = nextLine(fd, Math.max(first, fstatSync(fd).size - held))
    const two = copyRange(fd, out, from, held)
    ftruncateSync(out, two.to - from)
    return { ...two, error: one.error }
  } finally {
    closeSync(out)
  }
}

const emptyRange = (size: number): CopiedRange => ({ from: size, to: size })

/** Copies `fd` from the position `from` to its end, or at most `max` bytes, to the beginning of `out`. */
function copyRange(fd: number, out: number, from: number, max = Number.POSITIVE_INFINITY): CopiedRange {
  const bytes = Buffer.allocUnsafe(copyBytes)
  let at = from
  try {
    while (at - from < max) {
      const got = readSync(fd, bytes, 0, Math.min(copyBytes, max - (at - from)), at)
      if (got === 0) break
      for (let done = 0; done < got; ) {
        const wrote = writeSync(out, bytes, done, got - done, at - from)
        done += wrote
        at += wrote
      }
    }
    return { from, to: at }
  } catch (error) {
    return { from, to: at, error }
  }
}

/** The beginning of the next line, if one begins within 4 KB after this position; otherwise the position itself. */
function nextLine(fd: number, position: number): number {
  const bytes = Buffer.alloc(4096)
  const got = readSync(fd, bytes, 0, bytes.length, Math.max(0, position - 1))
  const at = bytes.subarray(0, got).indexOf(10)
  return at < 0 || position === 0 ? position : position + at
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
