/**
 * Stores batches of reports with the special features of each engine: prepared statements, row numbers, binary arrays.
 * The caller supplies the function that judges a report (reports/rules.ts).
 */
import type { Store } from '../platform/db/open.ts'
import type { ReportStore } from './committing.ts'
import { postgresReports } from './postgres/batch.ts'
import type { Decide } from './rows.ts'
import { sqliteReports } from './sqlite/batch.ts'

/** Opens the report store on the engine of `store`. */
export const openReportStore = (store: Store, decide: Decide): ReportStore =>
  store.engine === 'sqlite' ? sqliteReports(store, decide) : postgresReports(store, decide)
