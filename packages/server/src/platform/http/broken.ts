/**
 * Refuses what Node's parser cannot read as a request: bytes that are not HTTP, requests that arrive too slowly or
 * whose headers are too large, and CONNECT.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RefusalCode, refusalJson, refusals } from '@svc/protocol'
import { type Connections, endAfterAnswer, endNow } from './connections.ts'
import { rawPage, rawWantsPage } from './person-page.ts'
import { cutOffQueue } from './turns.ts'

/** The error of Node's parser, with the bytes in which it occurred. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/** Returns the handlers of a server's events `clientError` and `connect`. */
export function brokenRequestHandlers({ open }: Connections) {
  return { refuseUnreadable, refuseConnect }

  function refuseUnreadable(error: ParserError, socket: Socket): void {
    const connection = open.get(socket)
    if (error.code === 'ECONNRESET' || !connection) socket.destroy()
    else if (connection.isEnding) {
      // Node may read again by itself, for instance when output has drained. The bytes that it reads are ignored.
      if (socket.writable) socket.pause()
    } else if (error.code === hungUp) cutOffQueue.add(() => socket.destroy())
    else if (error.code === 'HPE_HEADER_OVERFLOW')
      refuseBroken(socket, rawWantsPage(error.rawPacket) ? largePage : largeHeaders)
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') cutOffLate(socket)
    else refuseBroken(socket, invalidRequest)
  }

  /** Refuses a request that arrives too slowly and closes its connection, unless the request is complete by then. */
  function cutOffLate(socket: Socket): void {
    const before = open.get(socket)?.answer
    cutOffQueue.add(() => {
      const answer = open.get(socket)?.answer
      if (answer === undefined || answer === before) refuseBroken(socket, lateRequest)
    })
  }

  /**
   * Refuses CONNECT and closes the connection. While an earlier request of the connection is being answered, the
   * connection is closed without a refusal, because Node has already detached it from the HTTP server.
   */
  function refuseConnect(_req: IncomingMessage, duplex: Duplex): void {
    const socket = duplex as Socket
    const connection = open.get(socket)
    socket.on('error', () => {})
    if (!connection || connection.answer) socket.destroy()
    else endNow(socket, connection, notFoundHere)
  }

  /**
   * Sends the refusal of a broken request and closes the connection. A response to an earlier, complete request is sent
   * first. If the response to the broken request has started, the connection is only closed.
   */
  function refuseBroken(socket: Socket, text: string): void {
    const connection = open.get(socket)
    if (!connection || connection.isEnding) return
    const { answer } = connection
    if (answer === undefined || (!answer.headersSent && !answer.req.complete)) endNow(socket, connection, text)
    else if (!answer.req.complete) socket.destroy()
    else endAfterAnswer(socket, connection, text)
  }
}

/** The code of the parser's error if a client disconnects during its request. The service then sends no answer. */
const hungUp = 'HPE_INVALID_EOF_STATE'
/**
 * The refusals of requests that are not HTTP, arrive too slowly, have headers that are too large, or use CONNECT. Each
 * text is made once, since thousands may be sent at a time.
 */
const invalidRequest = refusalBytes('400 Bad Request', 'request_invalid')
const lateRequest = refusalBytes('408 Request Timeout', 'request_invalid', 'The request did not arrive in time.')
const tooLarge = '431 Request Header Fields Too Large'
const largeHeaders = refusalBytes(
  tooLarge,
  'request_invalid',
  'The headers of the request are too large. In a browser, delete the cookies of this host: it sends them to all ports.',
)
const largePage = rawPage(tooLarge, {
  title: 'Your browser sends too many cookies',
  lines: [
    'The headers of the request are larger than 16 KB, so the service did not read it. Nearly always the reason is cookies of other programs on the same host: browsers send them to all ports of a host, such as localhost.',
    'Delete the cookies of this host in the settings of your browser, and load this page again. Or open it in a private window. You then have to sign in again.',
  ],
})
const notFoundHere = refusalBytes('404 Not Found', 'not_found')

function refusalBytes(status: string, code: RefusalCode, message: string = refusals[code][1]): string {
  const body = JSON.stringify(refusalJson(code, message))
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}
