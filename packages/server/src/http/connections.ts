/** The open connections of a server, and what each is doing. Every request pays for this, so it is kept once, for all who ask. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Connections {
  readonly open: ReadonlyMap<Socket, Connection>
  /** How many there were since the beginning. */
  readonly taken: number
}
export interface Connection {
  /** When it was opened, by the machine's own clock, in milliseconds. */
  since: number
  /** The response that is being made or sent. */
  answer: ServerResponse | undefined
  /** The request that was read ahead and waits until `answer` has been sent (pipelining.ts). */
  next: Next | undefined
  /** How many requests it has had. */
  requests: number
  /** How its unsent bytes stood when they last moved (unread.ts). */
  stall: Stall | undefined
}
interface Next {
  res: ServerResponse
  begin: () => void
  /** What has been received behind its headers, and not parsed. */
  rest: Buffer | undefined
}
interface Stall {
  since: number
  sent: number
  queued: number
}

const known = new WeakMap<Server, Connections>()

/** Ask before the server listens. */
export function connectionsOf(server: Server): Connections {
  const mine = known.get(server) ?? track(server)
  known.set(server, mine)
  return mine
}

/** From here on the connection makes this response. */
export function beginAnswer(connection: Connection, res: ServerResponse): void {
  connection.requests++
  connection.answer = res
  const end = () => {
    if (connection.answer === res) connection.answer = undefined
  }
  res.on('close', end)
}

function track(server: Server): Connections {
  const open = new Map<Socket, Connection>()
  const mine = { open, taken: 0 }
  server.on('connection', (socket) => {
    mine.taken++
    open.set(socket, {
      since: performance.now(),
      answer: undefined,
      next: undefined,
      requests: 0,
      stall: undefined,
    })
    socket.on('close', closed)
  })
  function closed(this: Socket) {
    open.delete(this)
  }
  const begun = (req: IncomingMessage, res: ServerResponse) => {
    const connection = open.get(req.socket)
    if (connection && !connection.answer && !connection.next) beginAnswer(connection, res)
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, begun)
  return mine
}
