/**
 * Starts the whole service. One listener serves the page and the agents' reports, another one health and metrics, and a
 * socket in the data folder serves `svc-server` on SQLite. `close` stops all of it, as described in D53.
 */
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { openAgentApi } from '../agent-api/open.ts'
import { createEvaluator } from '../alerts/evaluation/evaluator.ts'
import { createHeartbeat } from '../alerts/evaluation/heartbeat.ts'
import { createServiceFacts } from '../alerts/evaluation/service-facts.ts'
import { alertWriter } from '../alerts/messages/writing.ts'
import { createDispatcher } from '../deliveries/dispatcher.ts'
import { sendersOf } from '../deliveries/senders.ts'
import { expireAfterLoss } from '../fleet/commands/store.ts'
import { operator } from '../operator/shared/request.ts'
import { askService, serveOperator } from '../operator/socket/socket.ts'
import { createLink, linkUrl } from '../people/accounts/links.ts'
import { hasNoAccounts } from '../people/accounts/store.ts'
import { accountMails } from '../people/mails/sending/mailer.ts'
import { agreeOnSecret } from '../platform/agreed.ts'
import { type Closers, closeAll, createClosers, endMs, stopMs } from '../platform/closing.ts'
import { DataFolderError, databaseFile, holderOf, secretOf } from '../platform/data-folder.ts'
import { type Checkpoints, startCheckpoints } from '../platform/db/checkpoints.ts'
import { lockedWords, type WriterLock } from '../platform/db/writer-lock.ts'
import { ConfigError } from '../platform/errors.ts'
import { explainStartError } from '../platform/failed-start.ts'
import { listen, listenWide } from '../platform/http/listen.ts'
import { createListener } from '../platform/http/listener.ts'
import { logRequests } from '../platform/http/requests.ts'
import { newId } from '../platform/ids.ts'
import { startCommand } from '../platform/installed.ts'
import { startMarks } from '../platform/marks.ts'
import { isAnyNodeRunning } from '../platform/nodes.ts'
import { sealKeyOf } from '../platform/seal.ts'
import { openReleases } from '../updates/releases/releases.ts'
import { noteRunning } from '../updates/wishes/away.ts'
import { webApp } from '../web/app.ts'
import { createLive, type Hub } from '../web/live/hub.ts'
import type { Deps } from '../web/routing/deps.ts'
import type { ServiceSettings } from './config.ts'
import { type OpenedService, openService, silenceMs } from './open.ts'
import { makeDrain } from './ops/drain.ts'
import { fleetMetrics } from './ops/fleet-metrics.ts'
import { healthOf } from './ops/health.ts'
import { opsListener } from './ops/listener.ts'
import { createRegistry } from './ops/metrics.ts'
import { clocksOf, createClockWatch } from './sweeper/clock.ts'
import { freeLeases } from './sweeper/stored-times.ts'
import { createSweeper } from './sweeper/sweeper.ts'

interface RunningService {
  /** The URL at which people and agents reach the service. */
  url: string
  /** The one-time link of the first person; undefined once somebody has an account. */
  firstLink: string | undefined
  /**
   * Stops accepting connections, answers the requests that were already received, and closes the store. It takes at
   * most `leftMs` milliseconds and never rejects. Resolves with the names of the parts that did not end in that time.
   */
  close(leftMs: number): Promise<string[]>
}

/**
 * Opens the data folder and the store, and starts to listen. Throws ConfigError or DataFolderError for problems that a
 * person must fix.
 */
export async function startService(config: ServiceSettings, log: Logger, now = Date.now): Promise<RunningService> {
  const opened = await openService(config, now, () => refuseIfServed(config.dataDir))
  if (!opened) throw new DataFolderError(`The data folder ${config.dataDir} is in use.`)
  const node = newId(now())
  const closers = createClosers()
  closers.add('database', 'database', opened.close)
  const close = (leftMs: number) => closeAll(closers.groups(), leftMs, log)
  try {
    // This comes before `createLive`, after which `isAnyNodeRunning` would also find this node.
    const isBeside = await isAnyNodeRunning(opened.store.db)
    const live = createLive({ store: opened.store, log, now, node })
    closers.add('pages', 'open pages', live.close)
    await assemble({ ...opened, live, log, node, isBeside }, config, closers)
    return { url: config.baseUrl, firstLink: await firstLink(opened), close }
  } catch (error) {
    await close(stopMs - endMs)
    throw explainStartError(error, opened.store)
  }
}

/**
 * Starts the parts of the service. Each part is closed before the parts that it depends on, or in the same stage.
 * `node` is the unique id of this process, and `isBeside` is true if another node runs.
 */
async function assemble(
  opened: OpenedService & { live: Hub; log: Logger; node: string; isBeside: boolean },
  config: ServiceSettings,
  closers: Closers,
): Promise<void> {
  const { store, auth, now, live, log, isBeside } = opened
  await agreeOnSecret(store, config.dataDir)
  if (store.engine === 'postgres') store.giveUpAfter(silenceMs)
  else {
    logLock(store.lock, log)
    closers.add('pages', 'checkpoints of the database', checkpointsOf(store, config, log).close)
  }
  const releases = await openReleases({ store, config, log, now, changed: live.releaseChanged })
  closers.add('reports', 'releases', releases.close)
  const agentDeps = { store, config, log, now, live, releases }
  const agents = openAgentApi(agentDeps)
  closers.add('reports', 'reports of agents', agents.close)
  const clock = createClockWatch({ store, log, live, clocks: clocksOf(now), isBeside })
  const sweeper = createSweeper(agentDeps, agents.age, clock)
  const stopping = new AbortController()
  closers.add('callers', 'calls of other systems', () => stopping.abort())
  const deps: Deps & { live: Hub } = {
    ...agentDeps,
    ...{ auth, hurrySweeper: sweeper.hurry, stopping: stopping.signal },
  }
  closers.add('reports', 'regular jobs', sweeper.stop)

  const registry = createRegistry({ store, config, now, agents: agents.metrics, live })
  const health = healthOf(store, now, clock.warning)
  const fleet = config.metricsFleet ? fleetMetrics({ db: store.db, now, maxAgents: config.metricsAgents }) : undefined
  await listenOps(opsListener({ registry, health, version: config.version, fleet }), config, log, closers)
  if (store.engine === 'sqlite') closers.add('callers', "operator's commands", (await serveOperator(deps, log)).close)

  const marks = await startMarks({ store, dataDir: config.dataDir, log, onLoss: expireAfterLoss, now })
  closers.add('reports', 'count of commits', marks.stop)

  // Corrects stored times that are in the future, and records an outage that has just ended. Both come before the first
  // report, which may be about a trial that ended during the outage.
  await clock.check()
  await noteRunning(store.db, now())
  const server = createListener(deps, { agentRoutes: agents.routes, fallback: webApp(deps).listener })
  logRequests(server, log)
  const drain = makeDrain(
    server,
    () => void live.close().catch((error) => log.warn({ err: error }, 'live updates did not end cleanly')),
    await listenWide(server, { port: config.port, host: config.host, how: `SVC_PORT, or ${startCommand} --port N` }),
  )
  closers.add('callers', 'requests', () => {
    agents.drain()
    return drain()
  })
  sweeper.start()
  await startAlerts({ ...deps, node: opened.node, checkClock: clock.check }, closers)
}

/** Logs once when another program begins to hold the lock of the database, and once when that has ended. */
export function logLock(lock: Pick<WriterLock, 'watch'>, log: Pick<Logger, 'error' | 'info'>): void {
  lock.watch((since, until) => {
    if (until === undefined) log.error({ since }, lockedWords(since))
    else log.info({ since, until, seconds: Math.round((until - since) / 1000) }, 'the lock of svc.db is free again')
  })
}

/**
 * Starts to evaluate and to send alerts. Findings are stored before they are sent, so the service can stop both at any
 * moment without losing a message.
 */
async function startAlerts(
  { checkClock, node, ...deps }: Deps & { live: Hub; node: string; checkClock: () => Promise<void> },
  closers: Closers,
): Promise<void> {
  const { store, config, log, now, live, stopping } = deps
  // Only this process uses the embedded database, so every lease in it belongs to a process that has ended.
  if (store.engine === 'sqlite') await freeLeases(store)
  const { baseUrl, dataDir, outboundAllow: allowed } = config
  const key = sealKeyOf(secretOf(dataDir))
  const senders = sendersOf(config)
  const sending = { store, log, now, node, key, allowed, senders, writer: alertWriter(baseUrl) }
  const dispatcher = createDispatcher(sending, [accountMails({ ...deps, key })])
  const service = createServiceFacts({
    dataDir: store.engine === 'sqlite' ? dataDir : undefined,
    clocks: clocksOf(now),
  })
  const { lookedAt } = dispatcher
  const heartbeat = createHeartbeat({ url: config.heartbeatUrl, log, lookedAt, stop: stopping })
  const evaluator = createEvaluator({
    store,
    log,
    now,
    node,
    baseUrl,
    service,
    heartbeat: heartbeat.sendIfDue,
    changed: live.alertsChanged,
    checkClock,
  })
  closers.add('callers', 'messages and mails', dispatcher.stop)
  closers.add('callers', 'evaluation of alerts', evaluator.stop)
  closers.add('callers', 'heartbeat', heartbeat.settled)
  dispatcher.start()
  evaluator.start()
}

function checkpointsOf(
  store: Extract<Deps['store'], { engine: 'sqlite' }>,
  { dataDir }: ServiceSettings,
  log: Logger,
): Checkpoints {
  return startCheckpoints(store, databaseFile(dataDir), (error) =>
    log.warn({ err: error }, 'checkpoint thread failed: the database log is now copied between reports'),
  )
}

/** Throws DataFolderError if a service answers on the data folder, instead of waiting until it releases the lock. */
async function refuseIfServed(dataDir: string): Promise<boolean> {
  const answer = await askService(dataDir, 'workspace list', { args: [], options: {}, input: '' })
  if (answer)
    throw new DataFolderError(`The service is already running on the data folder ${dataDir} (${holderOf(dataDir)}).`)
  return false
}

async function firstLink({ store, config, now }: OpenedService): Promise<string | undefined> {
  if (!(await hasNoAccounts(store.db))) return undefined
  const made = await createLink({ db: store.db, by: operator, now: now() }, 'first', null)
  return made.ok ? linkUrl(config.baseUrl, 'first', made.value) : undefined
}

/**
 * Listens for health and metrics. If SVC_METRICS_PORT is not set and another program has the default port, the service
 * runs without health and metrics, because serving people matters more.
 */
async function listenOps(server: Server, config: ServiceSettings, log: Logger, closers: Closers): Promise<void> {
  if (config.metricsPort === 0) return
  try {
    await listen(server, { port: config.metricsPort, host: '127.0.0.1', how: 'SVC_METRICS_PORT, 0 for none' })
    server.on('error', (error) => log.warn({ err: error }, 'a connection for health or metrics was not accepted'))
    closers.add('reports', 'health and metrics', () => {
      server.close()
      server.closeAllConnections()
    })
  } catch (error) {
    if (config.metricsPortChosen || !(error instanceof ConfigError)) throw error
    log.warn({ port: config.metricsPort }, 'no /healthz and no /metrics: their port is in use')
  }
}
