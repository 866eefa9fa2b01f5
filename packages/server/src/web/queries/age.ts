/** The age of an agent's status, from the stored facts of its last report (D65). */
import { limits } from '@svc/protocol'
import { warnsOf } from '../../agent-api/reports/columns.ts'

export interface StatusAge {
  /**
   * When the agent wrote its status, by the clock of its machine, in Unix milliseconds; null when the agent does not
   * say.
   */
  statusAt: number | null
  /** True if the agent's status is so old that its time is shown with it. */
  statusOld: boolean
  /** True if the agent's status is so old that this is a warning. */
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
