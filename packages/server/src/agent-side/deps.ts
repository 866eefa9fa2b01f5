import type { Deps } from '../deps.ts'
import type { Turns } from '../http/turns.ts'
import type { Window } from '../limits/window.ts'
import type { Batcher } from '../reports/batch.ts'
import type { AgentMetrics } from '../reports/metrics.ts'
import type { Lookup } from './lookup.ts'
import type { Trouble } from './trouble.ts'

/** The agents' side knows no people. */
export type AgentDeps = Omit<Deps, 'auth'>

/** What the agent routes stand on. */
export interface Side {
  deps: AgentDeps
  lookup: Lookup
  batcher: Batcher
  /** Turns of the event loop for work that takes milliseconds: reading a large report, storing a batch. */
  turns: Turns
  metrics: AgentMetrics
  trouble: Trouble
  windows: { reports: Window; logs: Window }
  /** Whether wishes may be told that an agent has not heard of: not when this process is about to end. */
  offers: () => boolean
}
