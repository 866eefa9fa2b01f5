/** The last report of an agent as it is stored. Times are Unix milliseconds. */
import type { Report } from '@svc/protocol'
import type { AgentReportRow } from '../../platform/db/tables.ts'

/** A report as it arrived, with what the service adds to it. */
export interface ReceivedReport {
  report: Report
  /** The received JSON; undefined if the service does not keep everything in it. */
  json: string | Uint8Array | undefined
  /** The interval in seconds that the answer will ask for (2.7). */
  interval: number
}

/** The facts of the last report with which the next one is compared. */
export type LastReport = Pick<
  AgentReportRow,
  'received_at' | 'interval_s' | 'stopped' | 'level' | 'boot' | 'seq' | 'reporters' | 'runs_kept'
>
/** The columns of the last report that a new report writes. `body` is the bytes of a text if the report is large. */
export type ReportWrite = Omit<AgentReportRow, 'agent_id' | 'body'> & { body: string | Uint8Array }

/** The part of a daily sum that one report adds. */
export interface UsageDelta {
  /** The day, as days since 1970 (UTC). */
  day: number
  /** The name of the model; '' for the totals of the day. */
  model: string
  runs: number
  costMicro: number
  outputTokens: number
}
