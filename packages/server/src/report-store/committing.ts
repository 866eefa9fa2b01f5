/** How a batch of reports gets into a store, whichever engine it is. */
import type { MonotonicAge } from '../commands/deliveries.ts'
import type { Decision, Submission } from './rows.ts'

/**
 * Commits the reports of a batch in one transaction and says what was decided about each, in their order. No two of one
 * batch are of one agent. When it resolves, everything is durable; when it rejects with `CommitUnknown`, it is not known
 * whether it happened; when it rejects with anything else, nothing was stored.
 */
export type ReportStore = (batch: readonly Submission[], now: number, age: MonotonicAge) => Promise<Decision[]>

/** The commit failed: whether it happened is not known, so nothing may be handed out and nothing tried again (D1). */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the commit of a batch of reports failed', { cause })
  }
}
