import type { ServiceBase } from '../platform/base.ts'
import type { Store } from '../platform/db/open.ts'
import type { Turns } from '../platform/http/turns.ts'
import type { RateWindow } from '../platform/limits/window.ts'
import type { Releases } from '../updates/releases/releases.ts'
import type { FaultLog } from './fault-log.ts'
import type { Batcher } from './reports/batch.ts'
import type { CallerLookup } from './reports/lookup.ts'
import type { AgentApiMetrics } from './reports/metrics.ts'

/** The dependencies of the agent routes. */
export interface AgentDeps extends ServiceBase {
  store: Store
  /** The runtime that `/cli/` serves. */
  releases: Releases
}

/** The objects that all agent routes share. */
export interface AgentParts {
  deps: AgentDeps
  lookup: CallerLookup
  batcher: Batcher
  /**
   * The queue for work of several milliseconds, such as reading a large report or storing a batch. One piece of it runs
   * in each turn of the event loop.
   */
  turns: Turns
  metrics: AgentApiMetrics
  faultLog: FaultLog
  windows: { reports: RateWindow; logs: RateWindow }
  /** Returns true if answers to reports may offer wishes for the first time; false while this process shuts down. */
  offers: () => boolean
}
