/** The stored form of an agent's last report. Its runs and acks are stored elsewhere. */
import { keptReport, type Report } from '@svc/protocol'

export type StoredReport = Omit<Report, 'runs' | 'acks'>

/**
 * The JSON of a report to store. If `json` is given, it is stored as it was received, because writing JSON again costs
 * more than all other work on a report. `storedReport` leaves runs and acks out when it reads.
 */
export const reportBodyOf = (report: Report, json: string | Uint8Array | undefined): string | Uint8Array =>
  json ?? JSON.stringify(withoutLists(report))

/** Reads the stored JSON of a report. */
export const storedReport = (body: string): StoredReport => withoutLists(keptReport(body))

function withoutLists({ runs: _, acks: __, ...rest }: Report): StoredReport {
  return rest
}
