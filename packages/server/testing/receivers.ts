/**
 * Receivers that misbehave, as a table with a row for each known way. Each receiver is a real server on this machine.
 */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

type Behaviour = (socket: Socket) => void

/** Calls `act` once a request has arrived. */
const onRequest =
  (act: Behaviour): Behaviour =>
  (socket) => {
    socket.once('data', () => act(socket))
  }

/** Writes a text again and again until the connection ends. */
const drip =
  (first: string, again: string, everyMs = 20): Behaviour =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(again), everyMs)
    socket.once('close', () => clearInterval(timer))
  }

const answerWith = (body: string | Buffer, head = 'HTTP/1.1 200 OK'): Behaviour =>
  onRequest((socket) => {
    const bytes = Buffer.from(body)
    socket.write(`${head}\r\ncontent-length: ${bytes.length}\r\n\r\n`)
    socket.end(bytes)
  })

/** Writes `head`, and then `piece` again and again, as fast as the other side reads. */
const flood =
  (head: string, piece: Buffer): Behaviour =>
  (socket) => {
    socket.write(head)
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    more()
  }

const ok = 'HTTP/1.1 200 OK\r\n'

/** The ways to answer a request, and the status with which the try must end; undefined if it must end without one. */
export const badReceivers: readonly [says: string, behaviour: Behaviour, status: number | undefined][] = [
  ['says nothing', () => {}, undefined],
  ['says nothing after the request', onRequest(() => {}), undefined],
  ['sends a status line that drips', onRequest(drip('H', 'H')), undefined],
  ['sends headers that drip', onRequest(drip(ok, 'x: y\r\n')), undefined],
  ['sends a body that drips', onRequest(drip(`${ok}content-length: 1000000\r\n\r\n`, 'x')), 200],
  ['sends a body in pieces without end', onRequest(drip(`${ok}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n')), 200],
  [
    'switches protocols and closes',
    onRequest((socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')),
    101,
  ],
  [
    'switches protocols and stays',
    onRequest(
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ),
    101,
  ],
  ['sends 100 without end', onRequest(drip('', 'HTTP/1.1 100 Continue\r\n\r\n')), undefined],
  ['sends 102 without end', onRequest(drip('', 'HTTP/1.1 102 Processing\r\n\r\n')), undefined],
  ['sends 103 without end', onRequest(drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')), undefined],
  ['sends a gigabyte', onRequest(flood(`${ok}content-length: 1073741824\r\n\r\n`, Buffer.alloc(65_536, 'x'))), 200],
  [
    'sends headers without end',
    onRequest(flood(ok, Buffer.from('x-filler: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'))),
    undefined,
  ],
  [
    'sends a gzip bomb',
    answerWith(gzipSync(Buffer.alloc(50 * 1024 * 1024)), 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip'),
    200,
  ],
  ['resets the connection at once', (socket) => socket.resetAndDestroy(), undefined],
  ['resets the connection after the request', onRequest((socket) => socket.resetAndDestroy()), undefined],
  ['closes the connection after the request', onRequest((socket) => socket.end()), undefined],
  [
    'resets the connection after its headers',
    // A reset discards what the client has not read yet. The client is in this process and reads between two timers, so
    // the second timer resets the connection after the client has read the headers.
    onRequest((socket) =>
      socket.write(`${ok}content-length: 100\r\n\r\nhalf`, () =>
        setTimeout(() => setTimeout(() => socket.resetAndDestroy(), 20), 20),
      ),
    ),
    200,
  ],
  ['does not speak HTTP', onRequest((socket) => socket.end('220 mail.example.org ESMTP\r\n')), undefined],
  ['answers with a NUL', answerWith('ok \0 done'), 200],
  ['fails with a NUL', answerWith('no \0 way', 'HTTP/1.1 500 No'), 500],
  ['answers with control characters', answerWith('ok \u0007\u001b[31m\u0085 done'), 200],
  ['answers with characters that change the direction of text', answerWith('ok \u202egpj.exe\u2066'), 200],
  ['answers with bytes that are not UTF-8', answerWith(Buffer.from([0x6f, 0x6b, 0xff, 0x00, 0xc3])), 200],
  ['answers with half of a surrogate pair', answerWith(Buffer.from([0x6f, 0x6b, 0xed, 0xa0, 0xbd])), 200],
  ['answers with a long text that is cut within a character', answerWith(`${'x'.repeat(999)}👍👍`), 200],
  [
    'redirects to an address with control characters',
    answerWith('', 'HTTP/1.1 308 Moved\r\nlocation: /hook/\u009b31m%00'),
    308,
  ],
  ['asks for another time in words', answerWith('', 'HTTP/1.1 429 Slow\r\nretry-after: \u0080soon'), 429],
]

/** Starts a receiver that behaves like this at each connection. Returns its port. */
export async function receiverOf(behaviour: Behaviour): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    behaviour(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The points at which a mail server can hang: before its greeting, or instead of the reply to a command. */
export const hangingAt = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'end of data', 'QUIT'] as const

/** A mail server that speaks only as far as SMTP needs, and then hangs. */
export const hangingMailServer =
  (at: (typeof hangingAt)[number], last = '250 kept'): Behaviour =>
  (socket) => {
    if (at === 'greeting') return
    socket.write('220 mail.example.org ESMTP\r\n')
    let isData = false
    socket.on('data', (piece) => {
      const text = piece.toString('latin1')
      if (isData && !text.endsWith('\r\n.\r\n')) return
      const verb = isData ? 'end of data' : text.slice(0, 4).toUpperCase()
      if (verb === at) return
      isData = verb === 'DATA'
      socket.write(`${verb === 'DATA' ? '354 go on' : verb === 'end of data' ? last : '250 ok'}\r\n`)
    })
  }
