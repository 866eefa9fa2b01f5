/** The open connections of a server, and what each is doing. Every request pays for this, so it is kept once, for all who ask. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Connections {
  readonly open: ReadonlyMap<Socket, Connection>
  /** How many there were since the beginning. */
  readonly taken: number
}
interface Connection {
  /** When it was opened, by the machine's own clock, in milliseconds. */
  since: number
  /** The last one begun and not ended. (A set of all of them would cost as much as the rest of a request's way in.) */
  answer: ServerResponse | undefined
}

const known = new WeakMap<Server, Connections>()

/** Ask before the server listens. */
export function connectionsOf(server: Server): Connections {
  const mine = known.get(server) ?? track(server)
  known.set(server, mine)
  return mine
}

function track(server: Server): Connections {
  const open = new Map<Socket, Connection>()
  const mine = { open, taken: 0 }
  server.on('connection', (socket) => {
    mine.taken++
    open.set(socket, { since: performance.now(), answer: undefined })
    socket.on('close', closed)
  })
  function closed(this: Socket) {
    open.delete(this)
  }
  const begun = (req: IncomingMessage, res: ServerResponse) => {
    const connection = open.get(req.socket)
    if (!connection) return
    connection.answer = res
    res.on('close', ended)
  }
  function ended(this: ServerResponse) {
    const connection = open.get(this.req.socket)
    if (connection?.answer === this) connection.answer = undefined
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, begun)
  return mine
}
