import type { Store } from '../db/open.ts'
import type { ReportStore } from './committing.ts'
import { postgresReports } from './store.postgres.ts'
import { sqliteReports } from './store.sqlite.ts'

/** The store of reports on the engine that is open. */
export const openReportStore = (store: Store): ReportStore =>
  store.engine === 'sqlite' ? sqliteReports(store) : postgresReports(store)
