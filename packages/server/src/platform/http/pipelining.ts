/**
 * Handles requests that a client sends on one connection without waiting for the responses. Node would parse them all
 * at once and make their responses at the same time, so that a client that does not read fills the memory. Here a
 * connection makes one response at a time: only the headers of the next request are parsed, and nothing behind them is
 * parsed or read until its turn.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { beginAnswer, type Connection, type Connections } from './connections.ts'
import { Turns } from './turns.ts'

/**
 * The return value that makes Node's parser pause. The parser then reports `pausedError` and how far it got (llhttp's
 * HPE_PAUSED).
 */
const paused = 21
const pausedError = 'HPE_PAUSED'

/**
 * Starts the requests that clients sent before they got the response to an earlier one, at most 16 in one turn of the
 * event loop.
 */
const turns = new Turns(16)

/** The internals of Node's parser and socket that this module uses. A test checks that they still work as needed. */
interface Parser {
  onIncoming: (req: IncomingMessage, keepAlive: boolean) => number
  resume(): void
}
type Inner = Socket & { parser?: Parser | null; _paused?: boolean }
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

interface Pipelining {
  /**
   * If an earlier request of the connection is still being answered, calls `begin` after that and returns true. Returns
   * false if the request can start at once.
   */
  waits(req: IncomingMessage, res: ServerResponse, begin: () => void): boolean
  /** Handles the error with which a paused parser stops, and returns true; returns false for any other error. */
  stopped(error: Error, socket: Socket): boolean
}

/** Makes the connections of a server answer one request at a time. The server must not listen yet. */
export function pipelining(server: Server, { open }: Connections): Pipelining {
  server.on('connection', (socket: Socket) => {
    const connection = open.get(socket)
    if (connection) stopWhileWaiting(socket, connection)
  })
  return { waits, stopped }

  function waits(req: IncomingMessage, res: ServerResponse, begin: () => void): boolean {
    const { socket } = req
    const connection = open.get(socket)
    if (!connection || connection.answer === res) return false
    // A further request arrived while one already waits, although the parser was told to pause; a later Node may behave
    // so. Closing the connection is better than holding any number of requests.
    if (connection.next) socket.destroy()
    else {
      connection.next = { res, begin, rest: undefined }
      // The next request starts in another turn of the event loop, so that a client that sent thousands of requests
      // does not delay other clients.
      connection.answer?.once('close', () => turns.add(() => goOn(socket, connection)))
    }
    return true
  }

  function stopped(error: ParseError, socket: Socket): boolean {
    const next = open.get(socket)?.next
    if (error.code !== pausedError || !next) return false
    next.rest = error.rawPacket?.subarray(error.bytesParsed)
    stopReading(socket)
    return true
  }
}

/** Starts the request that waits on a connection, unless the connection has ended. */
function goOn(socket: Inner, connection: Connection): void {
  const { next } = connection
  connection.next = undefined
  if (!next || socket.destroyed || socket.writableEnded) return
  readAgain(socket)
  beginAnswer(connection, next.res)
  next.begin()
  if (socket.destroyed) return
  socket.parser?.resume()
  if (next.rest) socket.emit('data', next.rest)
  if (!connection.next) socket.resume()
}

function stopWhileWaiting(socket: Inner, connection: Connection): void {
  const { parser } = socket
  if (!parser) return
  const { onIncoming } = parser
  parser.onIncoming = (req, keepAlive) => onIncoming(req, keepAlive) || (connection.next ? paused : 0)
}

/**
 * Stops reading from the socket until `readAgain` is called. Node would resume reading by itself when the body of a
 * request is read or output has drained, but bytes that have already arrived must be parsed first.
 */
export function stopReading(socket: Inner): void {
  Object.defineProperty(socket, '_paused', { get: () => true, set: () => {}, configurable: true })
  socket.resume = () => socket
  socket.pause()
}

function readAgain(socket: Inner): void {
  Object.defineProperty(socket, '_paused', { value: false, writable: true, configurable: true })
  Reflect.deleteProperty(socket, 'resume')
}
