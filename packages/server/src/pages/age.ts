/** The age of an agent's status, from its rows (D65). */
import { limits } from '@svc/protocol'
import { warnsOf } from '../reports/columns.ts'

export interface StatusAge {
  /** When it was written, by its machine's clock, Unix milliseconds; null when the agent does not report it. */
  statusAt: number | null
  /** Old enough that the time is shown beside its facts. */
  statusOld: boolean
  /** Old enough to be a warning. */
  statusLate: boolean
}

export const statusAge = (
  row: { status_at: number | null; warnings: string | null } | undefined,
  now: number,
): StatusAge => {
  const statusAt = row?.status_at == null ? null : row.status_at * 1000
  return {
    statusAt,
    statusOld: statusAt !== null && now - statusAt > limits.statusOldSeconds * 1000,
    statusLate: warnsOf(row?.warnings, 'status'),
  }
}
