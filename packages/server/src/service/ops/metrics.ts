/**
 * The metrics for Prometheus (docs/operator.md lists them): the counts of the agent routes, counts from the database,
 * and Node's metrics (event loop, memory, garbage collection).
 */
import { setImmediate } from 'node:timers/promises'
import { limits, type StoppedBy } from '@svc/protocol'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { AgentApiMetrics } from '../../agent-api/reports/metrics.ts'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import type { ServiceBase } from '../../platform/base.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { standardErrorLines } from '../../platform/log.ts'
import { alertGauges, countAlerts } from './alert-metrics.ts'
import { cached } from './cached.ts'

interface MetricsParts extends Pick<ServiceBase, 'config' | 'now'> {
  store: Store
  agents: AgentApiMetrics
  /** The number of pages that are open. */
  live: { readonly size: number }
}

export function createRegistry(observed: MetricsParts): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  countsOf(registry, observed)
  gaugesOf(registry, observed)
  alertGauges(
    registry,
    cached(() => countAlerts(observed.store.db, observed.now()), 5000),
    observed.now,
  )
  return registry
}

/** Registers counters whose values are read from the counts of the agent routes when the metrics are requested. */
function countsOf(registry: Registry, { agents }: MetricsParts): void {
  const registers = [registry]
  const plain: [name: string, help: string, value: () => number][] = [
    ['svc_reports_total', 'Reports that were stored.', () => agents.reports],
    ['svc_logs_total', 'Logs that were stored.', () => agents.logs],
    ['svc_commands_delivered_total', 'Commands that went out in answers.', () => agents.commandsDelivered],
    ['svc_report_batches_total', 'Commits of reports that came together.', () => agents.batches],
    ['svc_report_commit_seconds_total', 'Time spent in these commits.', () => agents.commitSeconds],
    ['svc_log_lines_lost_total', 'Lines of the log that could not be written.', () => standardErrorLines.lost],
  ]
  for (const [name, help, value] of plain)
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  new Counter({
    name: 'svc_refusals_total',
    help: 'Calls of agents that were refused, by error code.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset()
      for (const [code, count] of Object.entries(agents.refused)) this.inc({ code }, count)
    },
  })
  new Counter({
    name: 'svc_report_batch_size_total',
    help: 'Commits by the number of reports in them: up to `most`, more than the class before.',
    labelNames: ['most'],
    registers,
    collect() {
      this.reset()
      for (const [most, count] of Object.entries(agents.batchSizes)) this.inc({ most }, count)
    },
  })
}

function gaugesOf(registry: Registry, { agents, live, store, config, now }: MetricsParts): void {
  const registers = [registry]
  const plain: [name: string, help: string, value: () => number][] = [
    ['svc_report_commit_seconds_max', 'The longest of these commits since the start.', () => agents.maxCommitSeconds],
    ['svc_reports_waiting', 'Reports that wait for their commit.', () => agents.waiting],
    ['svc_live_subscribers', 'Open pages that are notified of changes.', () => live.size],
  ]
  for (const [name, help, value] of plain)
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  new Gauge({ name: 'svc_info', help: 'The version that runs.', labelNames: ['version', 'engine'], registers }).set(
    { version: config.version, engine: store.engine },
    1,
  )
  const agentsSeen = cached(() => countAgents(store.db, now()), 30_000)
  new Gauge({
    name: 'svc_agents',
    help: 'Agents by when they were last seen: reporting, silent, stopped on purpose, never.',
    labelNames: ['seen'],
    registers,
    async collect() {
      for (const [seen, count] of Object.entries(await agentsSeen())) this.set({ seen }, count)
    },
  })
  const open = cached(() => countPendingCommands(store.db), 5000)
  new Gauge({
    name: 'svc_commands',
    help: 'Commands that wait for their delivery or their answer, by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      for (const { state, count } of await open()) this.set({ state }, Number(count))
    },
  })
}

/** Counts the pending commands. An index contains only these, so the many commands that have ended are not read. */
const countPendingCommands = (db: Db) =>
  db
    .selectFrom('command')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where('due_at', 'is not', null)
    .groupBy('state')
    .execute()

const agentsAtOnce = 1000

/**
 * Counts the agents that report, are offline, are stopped, or have never reported. It reads 1,000 at a time, so that
 * reports are answered in between.
 */
async function countAgents(db: Db, now: number) {
  const agents: Record<ReportingState, number> = { reporting: 0, silent: 0, stopped: 0, never: 0 }
  for (let last = '', more = true; more; ) {
    const reportRows = await db
      .selectFrom('agent')
      .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
      .select(['agent.id', 'received_at', 'interval_s', 'stopped'])
      .where('agent.id', '>', last)
      .where('workspace_id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
      .orderBy('agent.id')
      .limit(agentsAtOnce)
      .execute()
    for (const row of reportRows) agents[seenAs(row, now)]++
    more = reportRows.length === agentsAtOnce
    last = reportRows.at(-1)?.id ?? ''
    if (more) await setImmediate()
  }
  return agents
}

type ReportingState = 'reporting' | 'silent' | 'stopped' | 'never'
/** The columns of an agent's last report; all are null before the first report. */
interface LastReport {
  received_at: number | null
  interval_s: number | null
  stopped: StoppedBy | null
}

/** An agent whose reports stay away counts as offline (D20), unless its last report says that it was stopped (D66). */
function seenAs({ received_at, interval_s, stopped }: LastReport, now: number): ReportingState {
  if (received_at === null) return 'never'
  if (stopped !== null) return 'stopped'
  return offlineFrom(received_at, interval_s ?? limits.intervalSeconds) < now ? 'silent' : 'reporting'
}
