/**
 * Limits responses that clients do not read. A connection makes one response at a time, a response that makes no
 * progress for a minute is given up, and the bytes that wait in this process, and not in the operating system, are
 * limited for all connections together.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Connection, type Connections, endAfterAnswer } from './connections.ts'
import { cutOffQueue } from './turns.ts'

export interface UnreadLimits {
  /** The time in milliseconds after which a response without any progress is given up. */
  stalled: number
  /** The maximum bytes on all connections together that wait to be sent. */
  unread: number
  /** The interval in milliseconds at which responses that clients do not read are looked for. */
  check: number
}

export const unreadLimits: UnreadLimits = { stalled: 60_000, unread: 256 * 1024 * 1024, check: 2_000 }

/** Closes connections whose clients do not read their responses, as `connectionsToClose` says, until it is stopped. */
export function closeUnreadConnections(connections: Connections, limits: UnreadLimits): { stop: () => void } {
  const timer = setInterval(() => {
    for (const socket of connectionsToClose(connections.open, limits, performance.now()))
      cutOffQueue.add(() => socket.destroy())
  }, limits.check).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * The connections to close: first those without progress for too long, then, while the rest hold too many bytes, those
 * whose last progress is longest ago.
 */
export function connectionsToClose(
  open: ReadonlyMap<Socket, Connection>,
  { stalled, unread }: UnreadLimits,
  now: number,
): Socket[] {
  const over: Socket[] = []
  const left: { socket: Socket; since: number; bytes: number }[] = []
  let held = 0
  for (const [socket, connection] of open) {
    if (connection.answer === undefined) continue
    noteStall(socket, connection, now)
    const since = connection.stall?.since ?? now
    const bytes = socket.writableLength
    if (now - since >= stalled) over.push(socket)
    else if (bytes > 0) {
      held += bytes
      left.push({ socket, since, bytes })
    }
  }
  if (held <= unread) return over
  left.sort((a, b) => a.since - b.since)
  for (const { socket, bytes } of left) {
    if (held <= unread) break
    over.push(socket)
    held -= bytes
  }
  return over
}

/**
 * Notes in `connection.stall` since when the connection makes no progress; undefined while nothing waits to be sent.
 */
function noteStall(socket: Socket, connection: Connection, now: number): void {
  if (socket.writableLength === 0) {
    connection.stall = undefined
    return
  }
  const queued = inSystem(socket)
  const sent = (socket.bytesWritten ?? 0) - socket.writableLength
  const { stall } = connection
  if (!stall || stall.sent !== sent || stall.queued !== queued) connection.stall = { since: now, sent, queued }
}

/**
 * The number of bytes of the current write that the operating system has not taken yet. Without this number a large
 * response would seem to make no progress until its end.
 */
const inSystem = (socket: Socket): number =>
  (socket as Socket & { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0

/**
 * Ends connections on which a client sends a request before it has the response to the one before; that response is
 * still sent whole. The server must not listen yet. Returns a function that is true for a request that gets no
 * response, because its client did not wait.
 */
export function preventPipelining(
  server: Server,
  { open }: Connections,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  // Node would parse all such requests at once and make their responses at the same time, so a client that does not
  // read would fill the memory.
  server.on('connection', (socket: Socket & { parser?: Parser | null }) => {
    const [connection, { parser }] = [open.get(socket), socket]
    if (!parser) return
    const { onIncoming } = parser
    parser.onIncoming = (req, keepAlive) => onIncoming(req, keepAlive) || (connection?.isEnding ? pausedResult : 0)
  })

  return ({ socket }, res) => {
    const connection = open.get(socket)
    if (!connection?.answer || connection.answer === res) return false
    // If `pausedResult` did not stop the parser, closing the connection is better than parsing any number of requests.
    if (connection.isEnding) socket.destroy()
    else endAfterAnswer(socket, connection)
    return true
  }
}

/** The return value that stops Node's parser (llhttp's HPE_PAUSED). No public way stops it within a chunk. */
const pausedResult = 21

/** The internal function of Node's parser that `preventPipelining` uses. A test checks that it works as needed. */
interface Parser {
  onIncoming: (req: IncomingMessage, keepAlive: boolean) => number
}
