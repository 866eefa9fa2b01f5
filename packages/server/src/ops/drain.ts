import type { Server } from 'node:http'
import type { Socket, Server as SocketServer } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { connectionsOf } from '../http/connections.ts'

const limit = 10_000
const tick = 25
/** Milliseconds. A connection that has said nothing yet is about to, for so long after it was opened. */
const silence = 1_000
/** Of the system's queue as many are taken as can be in so long; under overload it does not become empty. */
const queue = 3_000
/** Idle connections closed in one turn of the event loop. Between two turns what has arrived meanwhile is read. */
const atOnce = 32

/**
 * D53: gives a function that stops accepting, answers what was received within ten seconds with `Connection: close`, and
 * cuts what is left. `endStreams` ends answers that would go on for ever; `others` listen on the same port.
 *
 * Closing thousands of idle connections takes a while, in which requests arrive on those that are not closed yet; and whoever
 * connects at that moment is in the system's queue. So the end begins with reading all of that, and goes on in small steps.
 */
export function drainable(
  server: Server,
  endStreams: () => void,
  others: readonly SocketServer[] = [],
): () => Promise<void> {
  const connections = connectionsOf(server)

  /** Until everything has been read that was there when it was called, and nobody is in the system's queue, from which few are taken a turn. */
  async function readAll(): Promise<void> {
    const until = performance.now() + queue
    await setImmediate()
    for (let before = -1; before !== connections.taken && performance.now() < until; ) {
      before = connections.taken
      await setImmediate()
    }
  }

  async function closeIdle(): Promise<void> {
    let closed = 0
    for (const [socket, { since }] of connections.open) {
      if (!isIdle(socket, since)) continue
      socket.destroy()
      if (++closed % atOnce === 0) await setImmediate()
    }
  }

  return async () => {
    endStreams()
    await readAll()
    server.closeIdleConnections = () => {} // it would close them all at once
    const stopped = Promise.all(
      [server, ...others].map((each) => new Promise<void>((done) => each.close(() => done()))),
    )
    for (const { answer } of connections.open.values())
      if (answer && !answer.headersSent) answer.shouldKeepAlive = false
    await setImmediate()
    const cut = setTimeout(() => server.closeAllConnections(), limit)
    while (connections.open.size > 0) {
      endStreams()
      await closeIdle()
      await sleep(tick)
    }
    clearTimeout(cut)
    await stopped
  }
}

/** Node sets the time-out of a connection while it waits for the next request, and takes it away with the first byte of one. */
function isIdle(socket: Socket, since: number): boolean {
  if (socket.bytesRead === 0) return performance.now() - since > silence
  return (socket.timeout ?? 0) > 0
}
