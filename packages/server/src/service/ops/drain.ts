import type { Server } from 'node:http'
import type { Socket, Server as SocketServer } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { closingStages } from '../../platform/closing.ts'
import { connectionsOf } from '../../platform/http/connections.ts'

/** The milliseconds after which open connections are cut, which is shortly before the stage `callers` times out. */
const limitMs = closingStages.callers - 500
const tickMs = 25
/** The milliseconds after its opening during which a connection that has sent nothing may still send a request. */
const silenceMs = 1_000
/**
 * The maximum milliseconds for accepting connections that wait in the system's queue. Under overload that queue never
 * becomes empty.
 */
const queueMs = 3_000
/** The number of idle connections that are closed in one turn of the event loop. Requests are read between turns. */
const socketsAtOnce = 32

/**
 * Returns a function that shuts the server down (D53): it accepts no more connections, answers the received requests
 * with `Connection: close`, and cuts connections that are still open after `limitMs`. `endStreams` ends answers that
 * would never end; `others` are the further sockets that listen on the same port.
 */
export function makeDrain(
  server: Server,
  endStreams: () => void,
  others: readonly SocketServer[] = [],
): () => Promise<void> {
  const connections = connectionsOf(server)

  /**
   * Reads everything that has arrived before the call, and accepts connections until the system's queue is empty. Each
   * turn of the event loop accepts only a few.
   */
  async function readAll(): Promise<void> {
    const until = performance.now() + queueMs
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
      if (++closed % socketsAtOnce === 0) await setImmediate()
    }
  }

  return async () => {
    endStreams()
    // Closing thousands of idle connections takes time in which requests arrive, on open connections and on those in
    // the system's queue. So everything that has arrived is read first, and then connections are closed in small steps.
    await readAll()
    // The server's `close` also calls `closeIdleConnections`, and Node's own function of that name closes all idle
    // connections at once. So it is replaced by a function that closes none.
    server.closeIdleConnections = () => {}
    const stopped = Promise.all(
      [server, ...others].map((each) => new Promise<void>((done) => each.close(() => done()))),
    )
    for (const { answer } of connections.open.values())
      if (answer && !answer.headersSent) answer.shouldKeepAlive = false
    await setImmediate()
    const cut = setTimeout(() => server.closeAllConnections(), limitMs)
    while (connections.open.size > 0) {
      endStreams()
      await closeIdle()
      await sleep(tickMs)
    }
    clearTimeout(cut)
    await stopped
  }
}

/**
 * True if a connection is idle. Node sets the timeout of a connection while it waits for the next request, and removes
 * the timeout when the request begins to arrive. A connection that has sent nothing has no timeout, so its age decides.
 */
function isIdle(socket: Socket, since: number): boolean {
  if (socket.bytesRead === 0) return performance.now() - since > silenceMs
  return (socket.timeout ?? 0) > 0
}
