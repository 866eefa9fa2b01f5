/**
 * Decides whether a file system is nearly full, and describes faults of disks in words that name the file system and
 * say what to do. The decision is pure; `spaceAt` reads the facts.
 */
import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sizeText } from '@svc/protocol'
import { codeOf, messageOf } from '../base/errors.ts'

/** The free space and the free inodes of a file system. Inodes are absent if it does not count them. */
export interface FreeSpace {
  readonly bytes: number
  readonly freeBytes: number
  readonly inodes?: number
  readonly freeInodes?: number
  /** True if the file system is mounted read-only, or was made so after an error. */
  readonly readOnly?: boolean
}

/** A file system with less free space or fewer free inodes than this, or than one percent of them, is nearly full. */
const scarceBytes = 50 * 1024 * 1024
const scarceInodes = 200
const minFreeShare = 0.01
/** A file system with less free space or fewer free inodes than this is full. */
const fullBytes = 1024 * 1024
const fullInodes = 10

type Scarcity = 'read-only' | 'full' | 'tight'

/** Judges the room on a file system; undefined if there is enough. */
export function judgeSpace({ bytes, freeBytes, inodes, freeInodes, readOnly }: FreeSpace): Scarcity | undefined {
  if (readOnly) return 'read-only'
  const counted = inodes !== undefined && freeInodes !== undefined && inodes > 0
  if (freeBytes < fullBytes || (counted && freeInodes < fullInodes)) return 'full'
  const fewLeft = freeBytes < Math.max(scarceBytes, minFreeShare * bytes)
  return fewLeft || (counted && freeInodes < Math.max(scarceInodes, minFreeShare * inodes)) ? 'tight' : undefined
}

/** The room of the file system that contains this path; undefined if it cannot be read. */
export function spaceAt(path: string): FreeSpace | undefined {
  try {
    const { bsize, blocks, bavail, files, ffree } = statfsSync(path)
    return {
      bytes: blocks * bsize,
      freeBytes: bavail * bsize,
      ...(files > 0 && { inodes: files, freeInodes: ffree }),
      ...(isReadOnly(path) && { readOnly: true }),
    }
  } catch {
    return undefined
  }
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EROFS'
  }
}

/** The folder at which the file system of this path is mounted. */
export function mountOf(path: string): string {
  let at = path
  while (statSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at) at = dirname(at)
  const device = statSync(at, { throwIfNoEntry: false })?.dev
  while (dirname(at) !== at && statSync(dirname(at), { throwIfNoEntry: false })?.dev === device) at = dirname(at)
  return at
}

/**
 * A sentence for people about a file system that is read-only, full or nearly full; undefined for any other. `mount` is
 * the folder at which the file system is mounted.
 */
export function spaceSentence(space: FreeSpace, mount: string): string | undefined {
  const is = judgeSpace(space)
  if (is === undefined) return undefined
  if (is === 'read-only') return `The file system at ${mount} is read-only, so nothing can be stored. ${remedies.EROFS}`
  const { freeBytes, bytes, freeInodes, inodes } = space
  const files = freeInodes === undefined ? '' : `, and ${freeInodes} of ${inodes} inodes`
  return `The file system at ${mount} is ${is === 'full' ? 'full' : 'nearly full'}: ${sizeText(freeBytes)} of ${sizeText(bytes)}${files} are free. Remove what nobody needs there.`
}

const remedies = {
  ENOSPC: 'Remove what nobody needs there, and try again.',
  EDQUOT: 'Remove files of this user there, or raise the quota, and try again.',
  EROFS: 'Mount it for writing, and check it for errors.',
  EIO: 'Check the disk, and the messages of the system about it.',
  EMFILE: 'End programs that hold many files open, or raise the limit (ulimit -n), and try again.',
  ENFILE: 'End programs that hold many files open, and try again.',
} as const
type Code = keyof typeof remedies

const faults: Readonly<Record<Code, (path: string) => string>> = {
  ENOSPC: (path) => `${lacking(path)} at ${mountOf(path)}`,
  EDQUOT: (path) => `this user's quota is used up on the file system at ${mountOf(path)}`,
  EROFS: (path) => `the file system at ${mountOf(path)} is read-only`,
  EIO: (path) => `the disk of the file system at ${mountOf(path)} failed (EIO)`,
  EMFILE: () => 'this process has too many open files',
  ENFILE: () => 'this machine has too many open files',
}

/**
 * Says whether a full file system lacks inodes or space. A person who is not told about inodes would search for large
 * files.
 */
function lacking(path: string): string {
  const { freeInodes } = spaceAt(mountOf(path)) ?? {}
  return freeInodes === 0 ? 'no inode is left on the file system' : 'no space is left on the file system'
}

const isFault = (code: string | undefined): code is Code => code !== undefined && Object.hasOwn(faults, code)

/** True if an error says that there is no room for more: no space, no inode, or no quota. */
export const isNoRoom = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')

/** True if an error comes from the state of the disk or of the machine, and not from the program. */
export const isDiskFault = (error: unknown): boolean => isFault(codeOf(error))

/** The error of a file that could not be written. Its message is a sentence, and its code that of the system. */
class NotWritten extends Error {
  readonly code: Code
  constructor(path: string, code: Code, cause: unknown) {
    super(`${path} could not be written, because ${faults[code](path)}. ${remedies[code]}`, { cause })
    this.name = 'NotWritten'
    this.code = code
  }
}

/** Returns a `NotWritten` error if the disk or the machine is at fault, and otherwise the error itself. */
export function explainedError(error: unknown, path: string): unknown {
  const code = codeOf(error)
  return !isFault(code) || error instanceof NotWritten ? error : new NotWritten(path, code, error)
}

/** Why something failed, as a part of a sentence. A fault of the disk names the file system of `path`. */
export function failureReason(error: unknown, path: string): string {
  const code = codeOf(error)
  return isFault(code) ? faults[code](path) : messageOf(error)
}

/** Calls `work`. An error about the disk then names the file system of `path` and says what to do. */
export function explainErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainedError(error, path)
  }
}
