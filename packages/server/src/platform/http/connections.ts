/**
 * Tracks the open connections of a server and what each is doing, and limits how many one address may hold. Tracking
 * costs time in every request, so all code that needs it shares one tracker for each server.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressesIn, callerKey, plainAddress } from './address.ts'

export interface Connections {
  readonly open: ReadonlyMap<Socket, Connection>
  /** The number of connections that the server has accepted since its start. */
  readonly taken: number
}
export interface Connection {
  /** When the connection was opened, in milliseconds of the monotonic clock. */
  since: number
  /** The response that is being made or sent on the connection; undefined between requests. */
  answer: ServerResponse | undefined
  /** True if the connection ends, now or after `answer`, and answers no further request. */
  isEnding: boolean
  /** The number of requests of the connection whose responses have been started so far. */
  requests: number
  /** The unsent bytes of the connection when unread.ts last saw progress; undefined if nothing waited to be sent. */
  stall: Stall | undefined
}
interface Stall {
  since: number
  sent: number
  queued: number
}

const known = new WeakMap<Server, Connections>()

/** The tracker of a server. The first call must come before the server listens. */
export function connectionsOf(server: Server): Connections {
  const tracked = known.get(server) ?? track(server)
  known.set(server, tracked)
  return tracked
}

/**
 * Sends `last`, and closes the connection a second later. Bytes that arrive until then are discarded: if they were not
 * read, a client that still sends could not read `last`. A client that has sent no bytes gets only the closed socket.
 */
export function endNow(socket: Socket, connection: Connection, last?: string): void {
  connection.isEnding = true
  if (!socket.writable || socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  if (last !== undefined) socket.write(last)
  socket.end()
  socket.resume()
  setTimeout(() => socket.destroy(), 1000).unref()
}

/** Stops reading, and ends the connection when the response in progress has been sent. */
export function endAfterAnswer(socket: Socket, connection: Connection, last?: string): void {
  connection.isEnding = true
  socket.pause()
  connection.answer?.once('close', () => endNow(socket, connection, last))
}

/** Notes that the service now makes this response on the connection. */
function beginAnswer(connection: Connection, res: ServerResponse): void {
  connection.requests++
  connection.answer = res
  const end = () => {
    if (connection.answer === res) connection.answer = undefined
  }
  res.on('close', end)
}

function track(server: Server): Connections {
  const open = new Map<Socket, Connection>()
  const tracked = { open, taken: 0 }
  server.on('connection', (socket) => {
    tracked.taken++
    open.set(socket, {
      since: performance.now(),
      answer: undefined,
      isEnding: false,
      requests: 0,
      stall: undefined,
    })
    socket.on('close', closed)
  })
  function closed(this: Socket) {
    open.delete(this)
  }
  const requestBegins = (req: IncomingMessage, res: ServerResponse) => {
    const connection = open.get(req.socket)
    if (connection && !connection.answer) beginAnswer(connection, res)
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, requestBegins)
  return tracked
}

/** The largest part of all allowed connections that one address may hold. */
export const maxAddressShare = 0.25

/**
 * Makes the server close a new connection of an address that already has `max` of the `open` ones, except for proxies
 * and this machine. Since reading an address costs time, addresses are read only while many connections are open: from
 * more than `max` in all down to half of `max`. Must be called before the server listens.
 */
export function limitConnectionsByAddress(
  server: Server,
  open: ReadonlyMap<Socket, unknown>,
  max: number,
  trustedProxies: readonly string[],
): void {
  const unlimited = addressesIn([...trustedProxies, '127.0.0.0/8', '::1'])
  let held: Map<string, number> | undefined
  server.on('connection', (socket: Socket) => {
    if (open.size <= max / 2) held = undefined
    if (held === undefined && open.size <= max) return
    if (held === undefined) {
      held = new Map()
      for (const one of open.keys()) if (one !== socket) count(one, held)
    }
    if (count(socket, held) > max) socket.destroy()
  })

  /**
   * Counts a connection until it closes. Returns the number of counted connections from the same address (for IPv6: the
   * same /64), this one included; 0 for an address without a limit.
   */
  function count(socket: Socket, all: Map<string, number>): number {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (unlimited(address)) return 0
    const key = callerKey(address)
    const count = (all.get(key) ?? 0) + 1
    all.set(key, count)
    socket.once('close', () => {
      const left = (all.get(key) ?? 1) - 1
      if (left > 0) all.set(key, left)
      else all.delete(key)
    })
    return count
  }
}
