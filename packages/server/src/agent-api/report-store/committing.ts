/** Types for committing a batch of reports to a store of either engine. */
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import type { Decision, Submission } from './rows.ts'

/**
 * Commits a batch in one transaction and returns the decision about each report, in order; no agent is in a batch
 * twice. When it resolves, everything is durable. When it rejects with `CommitUnknown`, the commit may have happened;
 * after any other error nothing was stored.
 */
export type ReportStore = (batch: readonly Submission[], now: number, age: MonotonicAge) => Promise<Decision[]>

/**
 * The error for a commit whose result is unknown. The commit may have happened, so nothing may be delivered and nothing
 * retried (D1).
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the commit of a batch of reports failed', { cause })
  }
}
