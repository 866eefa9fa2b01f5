/**
 * The service's listener for agents and pages. Agent routes are handled directly; all other requests go to the routes
 * of the pages. Whatever bytes arrive, the client gets 2xx to 4xx, 503 or a closed socket, and the process keeps
 * running (I10).
 */

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { elsewhereWords, isOwnMachineOnly, type RefusalCode, refusalJson, shown } from '@svc/protocol'
import type { Logger } from 'pino'
import type { ServiceBase } from '../base.ts'
import { refuseAndClose, refuseAsBusy } from './answers.ts'
import { drainBody, noteExpectation } from './body.ts'
import { brokenRequestHandlers } from './broken.ts'
import { connectionsOf, limitConnectionsByAddress, maxAddressShare } from './connections.ts'
import { ownOrigin } from './origin.ts'
import { sendPage, wantsPage } from './person-page.ts'
import { createLogLimit, requestPath } from './requests.ts'
import { Turns } from './turns.ts'
import { closeUnreadConnections, preventPipelining, type UnreadLimits, unreadLimits } from './unread.ts'

/**
 * Handles a request and sends its response. Agent routes have handlers of their own; one handler gets all other
 * requests.
 */
export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown
/**
 * Handlers by method and exact path, such as `POST /api/agent/v1/report`, or by a path prefix: `GET
 * /api/agent/v1/bundle/*`.
 */
export type BareRoutes = Readonly<Record<string, Handler>>

/**
 * Limits of the listener: times in milliseconds, and numbers of connections. `request` is long enough for a bundle of
 * 20 MB over a slow line, and `idle` for reporters with an interval of 30 s to keep their connections (D18). While more
 * than `keep` connections are open, each is closed after its response.
 */
export interface ListenerLimits {
  headers: number
  request: number
  idle: number
  check: number
  requestsPerConnection: number
  connections: number
  keep: number
  unread: UnreadLimits
}

export const listenerLimits = (connections = maxConnections()): ListenerLimits => ({
  headers: 10_000,
  request: 300_000,
  idle: 75_000,
  check: 100,
  requestsPerConnection: 10_000,
  connections,
  keep: Math.floor(connections * 0.9),
  unread: unreadLimits,
})

/** The number of requests for pages that start in one turn of the event loop. Each may take two milliseconds. */
const pagesPerTurn = 8

interface Routing {
  agentRoutes: BareRoutes
  /** Handles all requests for the service's origin that are not for an agent route. */
  fallback: Handler
}

export function createListener(
  { config, log }: Pick<ServiceBase, 'config' | 'log'>,
  { agentRoutes, fallback }: Routing,
  limits: ListenerLimits = listenerLimits(),
): Server {
  const ownTarget = ownOrigin(config.baseUrl, config.trustedProxies)
  const refuseElsewhere = refusingElsewhere(config.baseUrl, log)
  const handlerOf = handlersOf(agentRoutes)
  const pages = new Turns(pagesPerTurn)
  const server = createServer({
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.idle,
    connectionsCheckingInterval: limits.check,
    requireHostHeader: false, // Node would refuse a missing host without a message; `faultOf` refuses it with one.
  })
  const connections = connectionsOf(server)
  const { open } = connections
  const isAhead = preventPipelining(server, connections)
  const broken = brokenRequestHandlers(connections)
  const unread = closeUnreadConnections(connections, limits.unread)
  server.on('close', unread.stop)
  limitConnectionsByAddress(server, open, Math.ceil(limits.connections * maxAddressShare), config.trustedProxies)
  // Node's limit counts the connections of one listening socket; this limit counts those of all listening sockets
  // (listen.ts).
  Object.defineProperty(server, 'maxConnections', { get: () => (open.size < limits.connections ? undefined : 0) })
  server.on('request', inTurn)
  server.on('checkContinue', expecting)
  server.on('checkExpectation', inTurn)
  server.on('clientError', (error, socket) => broken.refuseUnreadable(error, socket as Socket))
  server.on('connect', broken.refuseConnect)
  return server

  function inTurn(req: IncomingMessage, res: ServerResponse): void {
    if (!isAhead(req, res)) listen(req, res)
  }

  function listen(req: IncomingMessage, res: ServerResponse): void {
    const requests = open.get(req.socket)?.requests ?? 0
    if (!server.listening || open.size > limits.keep || requests >= limits.requestsPerConnection)
      res.shouldKeepAlive = false
    const fault = faultOf(req)
    const target = ownTarget(req)
    if (fault !== undefined) refuseUnread(req, res, 'request_invalid', fault)
    // The promises need no handlers for errors, because `drainBody` never rejects.
    else if (target === undefined) void drainBody(req).then(() => refuseElsewhere(req, res))
    else route(req, res, target)
  }

  function route(req: IncomingMessage, res: ServerResponse, target: string): void {
    req.url = target
    const query = target.indexOf('?')
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const handler = handlerOf(`${method} ${query < 0 ? target : target.slice(0, query)}`)
    if (handler) void attempt(log, handler, req, res)
    else pages.add(() => void attempt(log, fallback, req, res))
  }

  function expecting(req: IncomingMessage, res: ServerResponse): void {
    noteExpectation(req)
    inTurn(req, res)
  }
}

/** Returns a function that finds the handler of an agent route by method and path. */
function handlersOf(agentRoutes: BareRoutes): (name: string) => Handler | undefined {
  const routes = new Map(Object.entries(agentRoutes))
  const prefixes = [...routes].flatMap(([name, handler]) =>
    name.endsWith('*') ? [{ prefix: name.slice(0, -1), handler }] : [],
  )
  return (name) => routes.get(name) ?? prefixes.find(({ prefix }) => name.startsWith(prefix))?.handler
}

function refuseUnread(req: IncomingMessage, res: ServerResponse, code: RefusalCode, message: string): void {
  void drainBody(req).then(() => refuseAndClose(req, res, code, { message }))
}

/**
 * Runs a handler. An error that it throws is a bug: it is logged, fails this one request, and never ends the process.
 */
async function attempt(log: Logger, handler: Handler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    await handler(req, res)
  } catch (error) {
    log.error({ err: error, method: req.method, path: requestPath(req.url ?? '') }, 'a request failed')
    if (res.headersSent) res.destroy()
    else refuseAsBusy(res)
  }
}

// Computes how many connections this process may have: its limit of open files, less those for the database, logs and
// files.

const reservedFiles = 256
const minConnections = 64
/** The maximum number of connections, also used if the limit of open files is not known. */
const maxWithoutLimit = 200_000

export function maxConnections(limits: string = ownLimits()): number {
  const files = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return files === undefined
    ? maxWithoutLimit
    : Math.min(maxWithoutLimit, Math.max(minConnections, Number(files) - reservedFiles))
}

/**
 * The limits of this process as Linux reports them; '' on other systems. Node has raised the soft limit to the hard
 * one.
 */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

// Refuses requests that name another address than that of the service (D23, D82). The refusal names the right address
// and the setting that changes it; a person's browser gets it as a page, a program as JSON.

const quietMs = 60 * 60 * 1000

function refusingElsewhere(baseUrl: string, log: Pick<Logger, 'info'>) {
  const message = elsewhereWords(baseUrl)
  const { error } = refusalJson('not_found', message)
  const body = JSON.stringify({ error: { ...error, address: baseUrl } })
  const page = pageAbout(baseUrl)
  const quiet = createLogLimit(quietMs)
  return (req: IncomingMessage, res: ServerResponse): void => {
    const named = req.headers['x-forwarded-host'] ?? req.headers.host
    if (quiet(performance.now()) !== undefined)
      log.info({ named: shown(named ?? null), answersAt: baseUrl }, 'a request named another address, and got 404')
    if (wantsPage(req)) sendPage(req, res, 404, page)
    else refuseAndClose(req, res, 'not_found', { body })
  }
}

const pageAbout = (baseUrl: string) => ({
  title: 'This service has another address',
  lines: [
    `It answers only at ${baseUrl}.`,
    ...(isOwnMachineOnly(baseUrl) ? ['Only its own machine reaches that address.'] : []),
    'The operator of the service can set another address with SVC_BASE_URL, in its environment or in the file .env, and start it again. The document "First steps" (docs/start.md) says how, under "Reach it from another machine".',
  ],
  link: baseUrl,
})

// Finds ambiguous requests that Node's parser accepts: those for which the host, or the end of the body, can be read in
// two ways.

/** Returns the fault of the request as a sentence; undefined if it has none. */
function faultOf(req: IncomingMessage): string | undefined {
  const hosts = hostsOf(req.rawHeaders)
  if (hosts > 1) return 'The request names a host twice.'
  if (hosts === 0 && req.httpVersion !== '1.0') return 'The request must name its host (the header Host).'
  const encoding = req.headers['transfer-encoding']
  if (encoding === undefined) return undefined
  if (req.httpVersion === '1.0') return 'HTTP/1.0 knows no Transfer-Encoding.'
  return encoding.toLowerCase() === 'chunked' ? undefined : 'The only Transfer-Encoding that is taken is "chunked".'
}

function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
