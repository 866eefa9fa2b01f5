/** The age of an agent's status, from the stored facts of its last report (D65). */
import { hasWarning } from '../../fleet/reports/columns.ts'

export interface StatusAge {
  /** When the agent wrote its status, by its machine's clock, in Unix milliseconds; null if the report does not say. */
  statusAt: number | null
  /** True if the agent's status is older than usual, so that its time is shown with it (D67). */
  statusOld: boolean
  /** True if the agent's status is so old that this is a warning. */
  statusLate: boolean
}

export const statusAge = (row: { status_at: number | null; warnings: string | null } | undefined): StatusAge => ({
  statusAt: row?.status_at == null ? null : row.status_at * 1000,
  statusOld: hasWarning(row?.warnings, 'old') || hasWarning(row?.warnings, 'status'),
  statusLate: hasWarning(row?.warnings, 'status'),
})
