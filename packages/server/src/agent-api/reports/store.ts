/**
 * Stores batches of reports with the special features of each engine: prepared statements, row numbers, binary arrays.
 * The caller supplies the function that judges a report (agent-api/reports/rules.ts).
 */
import type { Store } from '../../platform/db/open.ts'
import type { ReportStore } from '../report-store/committing.ts'
import { postgresReports } from '../report-store/postgres/batch.ts'
import type { Decide } from '../report-store/rows.ts'
import { sqliteReports } from '../report-store/sqlite/batch.ts'

/** Opens the report store on the engine of `store`. */
export const openReportStore = (store: Store, decide: Decide): ReportStore =>
  store.engine === 'sqlite' ? sqliteReports(store, decide) : postgresReports(store, decide)
