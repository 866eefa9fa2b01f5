/** The file with a line for each run that was not recorded: the Unix time, the job or `-`, and the reason. */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { writeLightly } from '../../machine/files/durable.ts'
import { openOwn } from '../../machine/files/own.ts'
import { readUpTo } from '../../machine/files/read.ts'
import { isJobName } from './paths.ts'

export interface UnrecordedRun {
  readonly at: number
  /** Absent if the line names no job, because the call of svc had no usable name. */
  readonly name?: string
  readonly reason: string
}

/** The number of bytes at the end of the file that are read and kept. */
const maxBytes = 64 * 1024

/** The words for the reasons that the launcher and `svc exec` write. */
const reasons: Readonly<Record<string, string>> = {
  'no-node': 'no Node',
  'no-svc': 'no svc',
  'node-does-not-start': 'Node does not start',
  'svc-damaged': 'svc is damaged',
  'no-room': 'svc has too few files, processes or memory',
  'wrong-usage': 'wrong usage',
  'no-record': 'its record cannot be written',
  elsewhere: 'SVC_JOBS_DIR names another folder',
}

/** Reads the lines at the end of the file; a line that is damaged is passed over. */
export const readUnrecorded = (file: string): readonly UnrecordedRun[] =>
  linesAtEnd(file).flatMap((line) => {
    const [, at, name = '', reason = ''] = /^(\d{1,12}) (\S+) (\S+)$/.exec(line) ?? []
    if (at === undefined || (name !== '-' && !isJobName(name))) return []
    return [{ at: Number(at), ...(name !== '-' && { name }), reason: reasons[reason] ?? 'unknown reason' }]
  })

/** Cuts the file to the lines at its end. Lines that are added meanwhile are kept. */
export function cutUnrecorded(file: string): void {
  const fd = opened(file)
  if (fd === undefined) return
  try {
    const { size } = fstatSync(fd)
    if (size <= maxBytes) return
    const kept = wholeLines(endOf(fd, size))
    writeLightly(file, kept, 0o600)
    const added = readUpTo(fd, maxBytes, { position: size })
    if (added.length > 0) writeLightly(file, Buffer.concat([kept, added]), 0o600)
  } finally {
    closeSync(fd)
  }
}

/** Removes the lines of one job. */
export function dropUnrecorded(file: string, name: string): void {
  const lines = linesAtEnd(file)
  const kept = lines.filter((line) => line.split(' ')[1] !== name)
  if (kept.length < lines.length) writeLightly(file, kept.map((line) => `${line}\n`).join(''), 0o600)
}

function linesAtEnd(file: string): string[] {
  const fd = opened(file)
  if (fd === undefined) return []
  try {
    const { size } = fstatSync(fd)
    const end = endOf(fd, size)
    return (size > maxBytes ? wholeLines(end) : end).toString('utf8').split('\n').filter(Boolean)
  } finally {
    closeSync(fd)
  }
}

function opened(file: string): number | undefined {
  try {
    return openOwn(file, constants.O_RDONLY)
  } catch {
    return undefined // it is missing, or no file of this user
  }
}

function endOf(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, maxBytes))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length))
}

const wholeLines = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf(10) + 1)
