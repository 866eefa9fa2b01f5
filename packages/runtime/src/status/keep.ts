/** Decides which parts of the status file go into a report, and which remarks are made about it (2.11, D55). */
import { type HealthItem, readStatusFile, type StatusFile } from '@svc/protocol'
import type { FileRead } from '../files/read.ts'

/** Memory between two reads. */
export interface KeptStatus {
  readonly good?: StatusFile
  /** The number of reads since the last good one. */
  readonly misses: number
  /** True if there was ever a good one. */
  readonly known?: boolean
}
interface StatusNow {
  readonly kept: KeptStatus
  readonly status: StatusFile
  readonly health: readonly HealthItem[]
}

/** The last good status is used for two failed reads; after that it is no longer shown as if it were true. */
const patience = 2

/** Processes one read; `at` is in Unix milliseconds. */
export function keepStatus({ good, misses, known }: KeptStatus, read: FileRead, name: string, at: number): StatusNow {
  const now = parse(read, at)
  if ('status' in now) {
    return {
      kept: { good: now.status, misses: 0, known: true },
      status: now.status,
      health: remarks(now.unknown, now.dropped),
    }
  }
  const patient = good !== undefined && misses < patience
  const level = now.early && !known ? 'info' : 'warn'
  return {
    kept: { ...(patient && { good }), misses: misses + 1, ...(known && { known }) },
    status: patient ? good : {},
    health: patient && !now.plain ? [] : [{ name: 'Status file', level, detail: `${name} ${now.why}.` }],
  }
}

type Parsed =
  | { readonly status: StatusFile; readonly unknown: string[]; readonly dropped: string[] }
  /**
   * `early`: an agent that has not started has written nothing yet. `plain`: the fault is not a half-written file, so
   * it is reported at once (2.11: it costs one health line).
   */
  | { readonly why: string; readonly plain?: true; readonly early?: true }

function parse(read: FileRead, at: number): Parsed {
  if (read.is === 'missing') return { why: 'is not there', early: true }
  if (read.is === 'unreadable') return { why: read.why }
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(read.bytes))
  } catch {
    return { why: 'is not JSON' }
  }
  return readStatusFile(parsed, at) ?? { why: 'holds no JSON object', plain: true }
}

function remarks(unknown: readonly string[], dropped: readonly string[]): HealthItem[] {
  return [
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
