import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

const limit = 10_000
const tick = 25
/** Milliseconds. A connection that has said nothing yet is about to, for so long after it was opened. */
const silence = 1_000
/** Of the system's queue as many are taken as can be in so long; under overload it does not become empty. */
const queue = 3_000
/** Idle connections closed in one turn of the event loop. Between two turns what has arrived meanwhile is read. */
const atOnce = 32

interface Connection {
  /** When it was opened, by the machine's own clock, in milliseconds. */
  since: number
  /** The last one begun and not ended. (A set of all of them would cost as much as the rest of a request's way in.) */
  answer: ServerResponse | undefined
}

/**
 * D53: gives a function that stops accepting, answers what was received within ten seconds with `Connection: close`, and
 * cuts what is left. `endStreams` ends answers that would go on for ever.
 *
 * Closing thousands of idle connections takes a while, in which requests arrive on those that are not closed yet; and whoever
 * connects at that moment is in the system's queue. So the end begins with reading all of that, and goes on in small steps.
 */
export function drainable(server: Server, endStreams: () => void): () => Promise<void> {
  const connections = new Map<Socket, Connection>()
  let taken = 0
  server.on('connection', (socket) => {
    taken++
    connections.set(socket, { since: performance.now(), answer: undefined })
    socket.once('close', () => connections.delete(socket))
  })
  const begun = (req: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(req.socket)
    if (!connection) return
    connection.answer = res
    res.on('close', ended)
  }
  function ended(this: ServerResponse) {
    const connection = connections.get(this.req.socket)
    if (connection?.answer === this) connection.answer = undefined
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, begun)

  /** Until everything has been read that was there when it was called, and nobody is in the system's queue, from which one is taken a turn. */
  async function readAll(): Promise<void> {
    const until = performance.now() + queue
    await setImmediate()
    for (let before = -1; before !== taken && performance.now() < until; ) {
      before = taken
      await setImmediate()
    }
  }

  async function closeIdle(): Promise<void> {
    let closed = 0
    for (const [socket, { since }] of connections) {
      if (!isIdle(socket, since)) continue
      socket.destroy()
      if (++closed % atOnce === 0) await setImmediate()
    }
  }

  return async () => {
    endStreams()
    await readAll()
    server.closeIdleConnections = () => {} // it would close them all at once
    const stopped = new Promise<void>((done) => server.close(() => done()))
    for (const { answer } of connections.values()) if (answer && !answer.headersSent) answer.shouldKeepAlive = false
    await setImmediate()
    const cut = setTimeout(() => server.closeAllConnections(), limit)
    while (connections.size > 0) {
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
