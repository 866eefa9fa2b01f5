/**
 * Requests that a client sends on one connection without waiting for the responses. Node parses all of them at once and makes
 * their responses at the same time, so that a client that does not read fills the memory. Here a connection makes one response
 * at a time: of the next request the headers are parsed, and nothing behind them is parsed or read until it is its turn.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { beginAnswer, type Connection, type Connections } from './connections.ts'
import { Turns } from './turns.ts'

/** What the parser is told to stop with; then it reports `pausedError` and how far it came (llhttp's HPE_PAUSED). */
const paused = 21
const pausedError = 'HPE_PAUSED'

/** Requests sent ahead that are begun in one turn of the event loop. */
const turns = new Turns(16)

/** The parts of Node's parser and socket on which this stands; a test says whether they still do what is needed. */
interface Parser {
  onIncoming: (req: IncomingMessage, keepAlive: boolean) => number
  resume(): void
}
type Inner = Socket & { parser?: Parser | null; _paused?: boolean }
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

interface Pipelining {
  /** Calls `begin` once the response before this one has been sent; gives false if there is none. */
  waits(req: IncomingMessage, res: ServerResponse, begin: () => void): boolean
  /** Takes the error with which the parser stops when it has been told to; false for any other. */
  stopped(error: Error, socket: Socket): boolean
}

/** Ask before the server listens. */
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
    // The parser did not stop, as a later Node might not: better no connection than one without a bound.
    if (connection.next) socket.destroy()
    else {
      connection.next = { res, begin, rest: undefined }
      // In another turn of the event loop, so that a client that sent thousands of requests is one among others.
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

/** The connection of a response that has just ended: the request that waits is next, unless the connection ends. */
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

/** Node itself reads on when a body is asked for or when output has drained; neither may happen before what is here is parsed. */
export function stopReading(socket: Inner): void {
  Object.defineProperty(socket, '_paused', { get: () => true, set: () => {}, configurable: true })
  socket.resume = () => socket
  socket.pause()
}

function readAgain(socket: Inner): void {
  Object.defineProperty(socket, '_paused', { value: false, writable: true, configurable: true })
  Reflect.deleteProperty(socket, 'resume')
}
