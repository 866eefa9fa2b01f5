/**
 * The one way of a batch of reports into a store, and the only place that speaks to the engines in their own ways: prepared
 * statements, rows found by number, rows as binary arrays. Whoever opens it says how a report is judged (reports/rules.ts).
 */
import type { Store } from '../db/open.ts'
import type { ReportStore } from './committing.ts'
import { postgresReports } from './postgres/batch.ts'
import type { Decide } from './rows.ts'
import { sqliteReports } from './sqlite/batch.ts'

/** The store of reports on the engine that is open. */
export const openReportStore = (store: Store, decide: Decide): ReportStore =>
  store.engine === 'sqlite' ? sqliteReports(store, decide) : postgresReports(store, decide)
