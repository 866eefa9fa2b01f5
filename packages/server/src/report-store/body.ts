/** How the last report of an agent is stored. Its runs and acks have tables of their own. */
import { keptReport, type Report } from '@svc/protocol'

type StoredReport = Omit<Report, 'runs' | 'acks'>

/**
 * The text that came, where all of it was kept: writing JSON anew costs more than anything else that a report needs of us, and
 * cutting the runs out of a text nearly as much. `storedReport` leaves them out.
 */
export const bodyOf = (report: Report, text: string | undefined): string => text ?? JSON.stringify(withoutLists(report))

export const storedReport = (body: string): StoredReport => withoutLists(keptReport(body))

function withoutLists({ runs: _, acks: __, ...rest }: Report): StoredReport {
  return rest
}
