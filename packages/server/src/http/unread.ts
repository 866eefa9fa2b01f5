/**
 * Responses that are not read. What the system takes over for a client is not counted; what stays in the process is bounded for
 * all connections together, and for each in time: a response of which nothing has moved for a minute is given up.
 */
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'
import { cutOff } from './paced.ts'

export interface UnreadLimits {
  /** Milliseconds in which a response has to make some progress. */
  stalled: number
  /** Bytes that wait to be sent, or to be parsed behind them, on all connections together. */
  unread: number
  /** How often is looked, in milliseconds. */
  check: number
}

export const unreadLimits: UnreadLimits = { stalled: 60_000, unread: 256 * 1024 * 1024, check: 2_000 }

export function giveUpUnread(connections: Connections, limits: UnreadLimits): { stop: () => void } {
  const timer = setInterval(() => {
    for (const socket of toGiveUp(connections.open, limits, performance.now())) cutOff.add(() => socket.destroy())
  }, limits.check).unref()
  return { stop: () => clearInterval(timer) }
}

/** Those whose time is over; and while the others hold too much, those of them of which nothing has moved for longest. */
export function toGiveUp(
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
    const bytes = socket.writableLength + (connection.next?.rest?.length ?? 0)
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

/** Remembers since when nothing has moved; undefined while nothing waits. */
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

/** What is left of the write that the system is taking over. Without it a large response would seem to stand still until its end. */
const inSystem = (socket: Socket): number =>
  (socket as Socket & { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0
