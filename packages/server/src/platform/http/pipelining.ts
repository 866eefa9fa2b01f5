/**
 * Ends connections on which a client sends a request before it has the response to the one before. Node would parse all
 * such requests at once and make their responses at the same time, so a client that does not read would fill the
 * memory. The response in progress is sent whole.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Connections, endAfterAnswer } from './connections.ts'

/** The return value that stops Node's parser (llhttp's HPE_PAUSED). No public way stops it within a chunk. */
const pausedResult = 21

/** The internal function of Node's parser that this module uses. A test checks that it still works as needed. */
interface Parser {
  onIncoming: (req: IncomingMessage, keepAlive: boolean) => number
}

/**
 * Makes each connection of a server accept only one request at a time. The server must not listen yet. Returns a
 * function that is true for a request that gets no response, because its client did not wait for the response before.
 */
export function preventPipelining(
  server: Server,
  { open }: Connections,
): (req: IncomingMessage, res: ServerResponse) => boolean {
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
