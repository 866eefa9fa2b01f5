/**
 * The part of the service that agents call: their routes, the batches of reports, and the metrics. The service opens
 * this part once, gives `routes` to the listener, and closes this part after the listener.
 */
import { limits } from '@svc/protocol'
import { CommandDeliveryTimes, type MonotonicAge } from '../fleet/commands/deliveries.ts'
import type { Store } from '../platform/db/open.ts'
import type { BareRoutes } from '../platform/http/listener.ts'
import { Turns } from '../platform/http/turns.ts'
import { RateWindow } from '../platform/limits/window.ts'
import { bundleCall } from './bundle.ts'
import type { AgentDeps, AgentParts } from './deps.ts'
import { createFaultLog } from './fault-log.ts'
import { installCalls } from './install.ts'
import { logCall } from './log.ts'
import { productCalls } from './products.ts'
import { reportCall } from './report.ts'
import { postgresReportStore } from './report-store/postgres/batch.ts'
import type { DecideReport, ReportDecision, ReportStore, Submission } from './report-store/rows.ts'
import { sqliteReportStore } from './report-store/sqlite/batch.ts'
import { createBatcher } from './reports/batch.ts'
import { type CallerLookup, createLookup } from './reports/lookup.ts'
import { type AgentApiMetrics, createMetrics } from './reports/metrics.ts'
import { decideReport } from './reports/rules.ts'

export interface AgentApi {
  routes: BareRoutes
  metrics: AgentApiMetrics
  /** Returns how long ago this process delivered a command, by the monotonic clock (D20). */
  age: MonotonicAge
  /** Stops offering new wishes to agents, because their trial would run while the service is down. */
  drain(): void
  /** Resolves when all submitted reports are answered. The store may be closed afterwards. */
  close(): Promise<void>
}

export function openAgentApi(deps: AgentDeps, monotonic: () => number = () => performance.now()): AgentApi {
  const metrics = createMetrics()
  const deliveries = new CommandDeliveryTimes(monotonic)
  const lookup = createLookup(deps.store)
  const faultLog = createFaultLog(deps.log)
  const turns = new Turns()
  const watchers = { live: deps.live, lookup, deliveries, metrics }
  const batcher = createBatcher({
    inTurn: (start) => turns.addFirst(start),
    store: openReportStore(deps.store, decideReport),
    metrics,
    now: deps.now,
    age: deliveries.age,
    committed: (submission, decision) => committed(watchers, submission, decision),
    failed: (error) => faultLog.note(error, 'a batch of reports was not stored'),
    parallel: deps.store.engine === 'sqlite' ? 1 : 2,
  })
  const windows = { reports: new RateWindow(limits.reportsPerMinute), logs: new RateWindow(limits.logsPerMinute) }
  let draining = false
  return {
    routes: {
      ...agentRoutes({ deps, lookup, batcher, turns, metrics, faultLog, windows, offers: () => !draining }),
      ...installCalls(deps),
      ...bundleCall(deps, lookup),
      ...productCalls(deps),
    },
    metrics,
    age: deliveries.age,
    drain: () => {
      draining = true
    },
    close: () => batcher.settled(),
  }
}

/** Opens the report store for the engine of `store`. The report store judges reports with `decide`. */
export const openReportStore = (store: Store, decide: DecideReport): ReportStore =>
  store.engine === 'sqlite' ? sqliteReportStore(store, decide) : postgresReportStore(store, decide)

interface Watchers {
  live: AgentDeps['live']
  lookup: CallerLookup
  deliveries: CommandDeliveryTimes
  metrics: AgentApiMetrics
}

/**
 * Runs for each report after the commit and before the answer. It notes when commands were delivered (D20), updates the
 * metrics, and notifies open pages. If the transaction refused the report, `committed` only removes the agent from the
 * cache of `lookup`.
 */
function committed(
  { live, lookup, deliveries, metrics }: Watchers,
  submission: Submission,
  decision: ReportDecision,
): void {
  if (!decision.ok) {
    lookup.forget(submission.tokenHash)
    return
  }
  metrics.reports++
  metrics.commandsDelivered += decision.claimed.length
  for (const { id } of decision.claimed) deliveries.note(id)
  if (decision.write.report) live.reported(decision.workspaceId, submission.agentId)
  if (decision.write.commands.length > 0 || decision.write.updateEvents.length > 0)
    live.changed(decision.workspaceId, submission.agentId)
}

// The routes for the reports and logs of agents (4). The listener calls them directly, without the router of the pages.

const agentRoutes = (parts: AgentParts): BareRoutes => ({
  'POST /api/agent/v1/report': reportCall(parts),
  'POST /api/agent/v1/log': logCall(parts),
})
