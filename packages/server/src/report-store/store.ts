/**
 * The one way of a batch of reports into a store, and the only place that speaks to the engines in their own ways: prepared
 * statements, rows found by number, rows as binary arrays. Whoever opens it says how a report is judged (reports/rules.ts).
 */
import type { MonotonicAge } from '../commands/settle.ts'
import type { Store } from '../db/open.ts'
import { postgresReports } from './postgres/batch.ts'
import type { Decide, Decision, Submission } from './rows.ts'
import { sqliteReports } from './sqlite/batch.ts'

/**
 * Commits the reports of a batch in one transaction and says what was decided about each, in their order. No two of one
 * batch are of one agent. When it resolves, everything is durable; when it rejects with `CommitUnknown`, it is not known
 * whether it happened; when it rejects with anything else, nothing was stored.
 */
export type ReportStore = (batch: readonly Submission[], now: number, age: MonotonicAge) => Promise<Decision[]>

/** The store of reports on the engine that is open. */
export const openReportStore = (store: Store, decide: Decide): ReportStore =>
  store.engine === 'sqlite' ? sqliteReports(store, decide) : postgresReports(store, decide)
