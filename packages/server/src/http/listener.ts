/**
 * The one listener of the service: agent routes are handled directly, all other requests go to the routes of the pages.
 * Whatever bytes arrive, the answer is 2xx to 4xx or a closed socket, and the process keeps running (I10).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { envelope, type RefusalCode, refusals } from '@svc/protocol'
import type { Base } from '../base.ts'
import { refuseAndClose, refuseAsBusy } from './answers.ts'
import { drain, noteExpectation } from './body.ts'
import { maxConnections } from './capacity.ts'
import { connectionsOf } from './connections.ts'
import { faultOf } from './framing.ts'
import { ownOrigin } from './origin.ts'
import { cutOff } from './paced.ts'
import { pipelining, stopReading } from './pipelining.ts'
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

/** A request for a page takes up to two milliseconds, so only this many start in a turn of the event loop. */
const pagesPerTurn = 8

interface Routing {
  agentRoutes: BareRoutes
  /** Handles all requests for the service's origin that are not for an agent route. */
  fallback: Handler
}

export function createListener(
  deps: Pick<Base, 'config' | 'log'>,
  { agentRoutes, fallback }: Routing,
  limits: ListenerLimits = listenerLimits(),
): Server {
  const ownTarget = ownOrigin(deps.config.baseUrl, deps.config.trustedProxies)
  const routes = new Map(Object.entries(agentRoutes))
  const pages = new Turns(pagesPerTurn)
  const beginnings = [...routes].flatMap(([name, handler]) => (name.endsWith('*') ? [{ name, handler }] : []))
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
  const unread = giveUpUnread(connections, limits.unread)
  server.on('close', unread.stop)
  shareConnections(server, open, Math.ceil(limits.connections * addressShare), deps.config.trustedProxies)
  // Node counts the connections of one listening socket; this limit covers all of them (listen.ts).
  Object.defineProperty(server, 'maxConnections', { get: () => (open.size < limits.connections ? undefined : 0) })
  server.on('request', inTurn)
  server.on('checkContinue', expecting)
  server.on('checkExpectation', inTurn)
  server.on('clientError', answerBroken)
  server.on('connect', refuseConnect)
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
    else if (target === undefined) refuseUnread(req, res, 'not_found')
    else route(req, res, target)
  }

  function route(req: IncomingMessage, res: ServerResponse, target: string): void {
    req.url = target
    const query = target.indexOf('?')
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const name = `${method} ${query < 0 ? target : target.slice(0, query)}`
    const handler = routes.get(name) ?? beginnings.find((b) => name.startsWith(b.name.slice(0, -1)))?.handler
    if (handler) void attempt(handler, req, res)
    else pages.add(() => void attempt(fallback, req, res))
  }

  function refuseUnread(req: IncomingMessage, res: ServerResponse, code: RefusalCode, message?: string): void {
    // The promise needs no handler for errors, because `drain` never rejects.
    void drain(req).then(() => refuseAndClose(req, res, code, message === undefined ? {} : { message }))
  }

  function expecting(req: IncomingMessage, res: ServerResponse): void {
    noteExpectation(req)
    inTurn(req, res)
  }

  function answerBroken(error: NodeJS.ErrnoException, duplex: Duplex): void {
    const socket = duplex as Socket
    if (stopped(error, socket)) return
    if (error.code === 'ECONNRESET') socket.destroy()
    else if (error.code === hungUp) cutOff.add(() => socket.destroy())
    else if (error.code === 'HPE_HEADER_OVERFLOW') refuseBroken(socket, large)
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') cutOffLate(socket)
    else refuseBroken(socket, invalid)
  }

  /** Cuts off a late request, unless the rest of it has arrived in the meantime. */
  function cutOffLate(socket: Socket): void {
    const before = open.get(socket)?.answer
    cutOff.add(() => {
      const answer = open.get(socket)?.answer
      if (answer === undefined || answer === before) refuseBroken(socket, late)
    })
  }

  /**
   * Refuses CONNECT, since the service is no proxy. Node has detached the connection, so nothing else is sent on it.
   */
  function refuseConnect(_req: IncomingMessage, duplex: Duplex): void {
    const socket = duplex as Socket
    socket.on('error', () => {})
    if (open.get(socket)?.answer) socket.destroy()
    else sayAndClose(socket, elsewhere)
  }

  /** Sends the refusal after the response in progress, if there is one, and never into the middle of it. */
  function refuseBroken(socket: Socket, text: string): void {
    const answer = open.get(socket)?.answer
    if (answer === undefined || (!answer.headersSent && !answer.req.complete)) sayAndClose(socket, text)
    else if (!answer.req.complete) socket.destroy()
    else {
      stopReading(socket)
      answer.once('close', () => sayAndClose(socket, text))
    }
  }

  /** An error of a handler is a bug: it is logged, fails this one request, and never ends the process. */
  async function attempt(handler: Handler, req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await handler(req, res)
    } catch (error) {
      deps.log.error({ err: error, method: req.method, path: pathOf(req.url ?? '') }, 'a request failed')
      if (res.headersSent) res.destroy()
      else refuseAsBusy(res)
    }
  }
}

/** Sends a refusal and closes the socket. A client that has sent no bytes gets no refusal, only the closed socket. */
function sayAndClose(socket: Socket, answer: string): void {
  if (!socket.writable || socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  socket.end(answer)
  setTimeout(() => socket.destroy(), 1000).unref()
}

/**
 * The code of the parser's error for a client that disconnects during its request. Nobody is left to read an answer.
 */
const hungUp = 'HPE_INVALID_EOF_STATE'
/**
 * The refusals of requests that are not HTTP, arrive too slowly, or have too many headers. Each text is made once,
 * since thousands may be sent at a time.
 */
const invalid = broken('400 Bad Request', 'request_invalid')
const late = broken('408 Request Timeout', 'request_invalid', 'The request did not arrive in time.')
const large = broken(
  '431 Request Header Fields Too Large',
  'request_invalid',
  'The headers of the request are too large.',
)
const elsewhere = broken('404 Not Found', 'not_found')

function broken(status: string, code: RefusalCode, message: string = refusals[code][1]): string {
  const body = JSON.stringify(envelope(code, message))
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}
