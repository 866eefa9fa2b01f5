/** The file with a line for each run that was not recorded: the Unix time, the job or `-`, and the reason. */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { writeLightly } from '../../machine/files/durable.ts'
import { openOwnFile } from '../../machine/files/own.ts'
import { readUpTo } from '../../machine/files/read.ts'
import { isJobName } from './paths.ts'

/** A run without a record: its job, its time and the reason. */
export interface UnrecordedRun {
  readonly at: number
  /** Absent if the line names no job, because the call of svc had no usable name. */
  readonly name?: string
  readonly reason: string
}

/** The number of bytes at the end of the file that are read. */
const maxBytes = 128 * 1024
/** A file of more than `cutAbove` bytes is cut to `cutTo` bytes. */
const [cutAbove, cutTo] = [64 * 1024, 32 * 1024]

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

/**
 * Cuts the file to the newest lines. The newest line of every job comes before the second newest of any job, so a job
 * that runs every minute does not push out the lines of a weekly one. Lines that are added meanwhile are kept.
 */
export function cutUnrecorded(file: string): void {
  const fd = openQuietly(file)
  if (fd === undefined) return
  try {
    const { size } = fstatSync(fd)
    if (size <= cutAbove) return
    const end = endOf(fd, size)
    const lines = (size > maxBytes ? wholeLines(end) : end).toString('latin1').split('\n').filter(Boolean)
    const kept = Buffer.from(
      newestInTurn(lines)
        .map((line) => `${line}\n`)
        .join(''),
      'latin1',
    )
    writeLightly(file, kept, 0o600)
    const added = readUpTo(fd, maxBytes, { position: size })
    if (added.length > 0) writeLightly(file, Buffer.concat([kept, added]), 0o600)
  } finally {
    closeSync(fd)
  }
}

function newestInTurn(lines: readonly string[]): string[] {
  const lineCounts = new Map<string, number>()
  const inTurn = lines
    .map((line, at) => ({ line, at, turn: 0 }))
    .reverse()
    .map((each) => {
      const job = each.line.split(' ')[1] ?? ''
      const turn = lineCounts.get(job) ?? 0
      lineCounts.set(job, turn + 1)
      return { ...each, turn }
    })
    .sort((a, b) => a.turn - b.turn || b.at - a.at)
  let bytes = 0
  const kept = inTurn.filter(({ line }) => {
    bytes += line.length + 1
    return bytes <= cutTo
  })
  return kept.sort((a, b) => a.at - b.at).map(({ line }) => line)
}

/** Removes the lines of one job. */
export function dropUnrecorded(file: string, name: string): void {
  const lines = linesAtEnd(file)
  const kept = lines.filter((line) => line.split(' ')[1] !== name)
  if (kept.length < lines.length) writeLightly(file, kept.map((line) => `${line}\n`).join(''), 0o600)
}

function linesAtEnd(file: string): string[] {
  const fd = openQuietly(file)
  if (fd === undefined) return []
  try {
    const { size } = fstatSync(fd)
    const end = endOf(fd, size)
    return (size > maxBytes ? wholeLines(end) : end).toString('utf8').split('\n').filter(Boolean)
  } finally {
    closeSync(fd)
  }
}

function openQuietly(file: string): number | undefined {
  try {
    return openOwnFile(file, constants.O_RDONLY)
  } catch {
    return undefined // the file is missing, or does not belong to this user
  }
}

function endOf(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, maxBytes))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length))
}

const wholeLines = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf(10) + 1)
