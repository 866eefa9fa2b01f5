/**
 * Decides which parts of the status file go into a report, and which health items say what is wrong with the file
 * (2.11, D55).
 */
import { cut, type HealthItem, limits, readStatusFile, type StatusFile } from '@svc/protocol'
import type { FileRead } from '../../machine/files/read.ts'
import { parseWritten } from '../../machine/files/written.ts'

/** The facts that are remembered between two reads of the status file. */
export interface KeptStatus {
  readonly good?: StatusFile
  /** The number of consecutive reads of the status file that failed. */
  readonly misses: number
  /** True if the status file could be read at least once since the reporter started. */
  readonly known?: boolean
}
interface StatusNow {
  readonly kept: KeptStatus
  readonly status: StatusFile
  readonly health: readonly HealthItem[]
}

/** The number of consecutive failed reads for which the last valid status is still reported. */
const maxMisses = 2

/** Processes the result of one read of the status file. `at` is the time of the read, in Unix milliseconds. */
export function statusAfterRead(
  { good, misses, known }: KeptStatus,
  read: FileRead,
  name: string,
  at: number,
): StatusNow {
  const parsed = parse(read, at)
  if ('status' in parsed) {
    return {
      kept: { good: parsed.status, misses: 0, known: true },
      status: parsed.status,
      health: remarks(parsed),
    }
  }
  const patient = good !== undefined && misses < maxMisses
  const level = parsed.early && !known ? 'info' : 'warn'
  return {
    kept: { ...(patient && { good }), misses: misses + 1, ...(known && { known }) },
    status: patient ? good : {},
    health: patient && !parsed.plain ? [] : [{ name: 'Status file', level, detail: `${name} ${parsed.why}.` }],
  }
}

interface ReadStatus {
  readonly status: StatusFile
  readonly unknown: readonly string[]
  readonly dropped: readonly string[]
  readonly repeated: readonly { readonly key: string; readonly lines: readonly number[] }[]
}
type ParsedStatus =
  | ReadStatus
  /**
   * Why a read of the status file failed. `early`: the file is missing, which is normal until the agent first writes
   * it. `plain`: the file is whole but not of the right form, so the fault is reported at once (2.11).
   */
  | { readonly why: string; readonly plain?: true; readonly early?: true }

function parse(read: FileRead, at: number): ParsedStatus {
  if (read.is === 'missing') return { why: read.why ?? 'is not there', early: true }
  if (read.is === 'unreadable') return { why: read.why }
  const parsed = parseWritten(read.bytes)
  if (!parsed.ok) return parsed
  const status = readStatusFile(parsed.value, at)
  return status ? { ...status, repeated: parsed.repeated } : { why: 'holds no JSON object', plain: true }
}

function remarks({ unknown, dropped, repeated }: ReadStatus): HealthItem[] {
  const keys = repeated.map(({ key, lines }) => `${key} (lines ${lines.join(' and ')})`)
  const twice = `In it more than once, and only the last one counts: ${keys.join(', ')}.`
  return [
    ...(repeated.length > 0
      ? [{ name: 'Status file', level: 'info', detail: cut(twice, limits.detail) } as const]
      : []),
    ...(unknown.length > 0
      ? [{ name: 'Status file', level: 'info', detail: `Not known and left out: ${unknown.join(', ')}.` } as const]
      : []),
    ...(dropped.length > 0
      ? [
          {
            name: 'Status file',
            level: 'warn',
            detail: `Not as it must be and left out: ${dropped.join(', ')}.`,
          } as const,
        ]
      : []),
  ]
}
