/**
 * The service's listener for agents and pages: agent routes are handled directly, all other requests go to the routes
 * of the pages. Whatever bytes arrive, the answer is 2xx to 4xx or a closed socket, 503 only under overload or if the
 * store fails, and the process keeps running (I10).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RefusalCode } from '@svc/protocol'
import type { Logger } from 'pino'
import type { Base } from '../base.ts'
import { refuseAndClose, refuseAsBusy } from './answers.ts'
import { drain, noteExpectation } from './body.ts'
import { brokenRequests } from './broken.ts'
import { maxConnections } from './capacity.ts'
import { connectionsOf } from './connections.ts'
import { refusingElsewhere } from './elsewhere.ts'
import { faultOf } from './framing.ts'
import { ownOrigin } from './origin.ts'
import { pipelining } from './pipelining.ts'
import { pathOf } from './requests.ts'
import { addressShare, shareConnections } from './share.ts'
import { Turns } from './turns.ts'
import { giveUpUnread, type UnreadLimits, unreadLimits } from './unread.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown
/**
 * Handlers by method and exact path, such as `POST /api/agent/v1/report`, or by a path prefix: `GET
 * /api/agent/v1/bundle/*`.
 */
export type BareRoutes = Readonly<Record<string, Handler>>

/**
 * Limits of the listener: times in milliseconds, and numbers of connections. `request` is long enough for a bundle of
 * 20 MB over a slow line. Idle connections last longer than an interval of 30 s, so that reporters keep theirs (D18);
 * if more than `keep` are open, each is closed after its answer.
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
  { config, log }: Pick<Base, 'config' | 'log'>,
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
    requireHostHeader: false, // Node would refuse a missing host without a message; framing.ts refuses it with one.
  })
  const connections = connectionsOf(server)
  const { open } = connections
  const { waits, stopped } = pipelining(server, connections)
  const broken = brokenRequests(connections)
  const unread = giveUpUnread(connections, limits.unread)
  server.on('close', unread.stop)
  shareConnections(server, open, Math.ceil(limits.connections * addressShare), config.trustedProxies)
  // Node's limit counts the connections of one listening socket; this limit counts those of all listening sockets
  // (listen.ts).
  Object.defineProperty(server, 'maxConnections', { get: () => (open.size < limits.connections ? undefined : 0) })
  server.on('request', inTurn)
  server.on('checkContinue', expecting)
  server.on('checkExpectation', inTurn)
  server.on('clientError', (error, socket) => {
    if (!stopped(error, socket as Socket)) broken.refuseUnreadable(error, socket as Socket)
  })
  server.on('connect', broken.refuseConnect)
  return server

  function inTurn(req: IncomingMessage, res: ServerResponse): void {
    if (!waits(req, res, () => listen(req, res))) listen(req, res)
  }

  function listen(req: IncomingMessage, res: ServerResponse): void {
    const requests = open.get(req.socket)?.requests ?? 0
    if (!server.listening || open.size > limits.keep || requests >= limits.requestsPerConnection)
      res.shouldKeepAlive = false
    const fault = faultOf(req)
    const target = ownTarget(req)
    if (fault !== undefined) refuseUnread(req, res, 'request_invalid', fault)
    // The promises need no handlers for errors, because `drain` never rejects.
    else if (target === undefined) void drain(req).then(() => refuseElsewhere(req, res))
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
  void drain(req).then(() => refuseAndClose(req, res, code, { message }))
}

/**
 * Runs a handler. An error that it throws is a bug: it is logged, fails this one request, and never ends the process.
 */
async function attempt(log: Logger, handler: Handler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    await handler(req, res)
  } catch (error) {
    log.error({ err: error, method: req.method, path: pathOf(req.url ?? '') }, 'a request failed')
    if (res.headersSent) res.destroy()
    else refuseAsBusy(res)
  }
}
