/**
 * Tests clients that send several requests without waiting for responses, and clients that do not read the responses.
 */
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { testConfig } from '../../../testing/service.ts'
import { type Connection, connectionsOf } from './connections.ts'
import { createListener, type Handler, type ListenerLimits, listenerLimits } from './listener.ts'
import { toGiveUp } from './unread.ts'

let server: Server
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server.closeAllConnections()
  server.close()
})

async function serve(fallback: Handler, limits: Partial<ListenerLimits> = {}): Promise<number> {
  const deps = { config: testConfig(), log: pino({ level: 'silent' }) }
  server = createListener(deps, { agentRoutes: {}, fallback }, { ...listenerLimits(), ...limits })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost:8787\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost:8787\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const chunked = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost:8787\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

function open(port: number): { socket: Socket; said: () => string } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  sockets.add(socket)
  socket.on('error', () => {})
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  return { socket, said: () => said }
}
/** The texts in angle brackets that the responses contain, in order. */
const answers = (said: string) => said.match(/<[^>]*>/g) ?? []

/** A handler that answers with the path and the body of the request, in a later turn of the event loop. */
const echo: Handler = async (req, res) => {
  let body = ''
  for await (const chunk of req) body += chunk
  setImmediate(() => res.end(`<${req.url} ${body}>`))
}

test('3,000 requests sent ahead on one connection are answered in order, each with the right body', async () => {
  const port = await serve(echo)
  const { socket, said } = open(port)
  const wanted: string[] = []
  for (let i = 0; i < 3000; i++) {
    const body = i % 5 === 4 ? 'x'.repeat(i * 7) : `body ${i}`
    socket.write(i % 3 === 0 ? get(`/${i}`) : i % 3 === 1 ? post(`/${i}`, body) : chunked(`/${i}`, body))
    wanted.push(`</${i} ${i % 3 === 0 ? '' : body}>`)
  }
  await eventually('3000 responses came', () => expect(answers(said()).length).toBe(3000))
  expect(answers(said())).toEqual(wanted)
})

test('requests that arrive byte by byte while a response is being made keep their order', async () => {
  const port = await serve(echo)
  const { socket, said } = open(port)
  socket.setNoDelay(true)
  const text = get('/1') + post('/2', 'two') + chunked('/3', 'three') + get('/4')
  for (const byte of text) {
    socket.write(byte)
    await new Promise(setImmediate)
  }
  const four = ['</1 >', '</2 two>', '</3 three>', '</4 >']
  await eventually('four responses came', () => expect(answers(said())).toEqual(four))
})

test('one response is made at a time, and only the headers of the next request are parsed', async () => {
  const started: string[] = []
  const answer: ServerResponse[] = []
  const port = await serve((req, res) => {
    started.push(req.url ?? '')
    answer.push(res)
  })
  let parsed = 0
  server.prependListener('request', () => {
    parsed++
  })
  const { socket } = open(port)
  socket.write(Array.from({ length: 500 }, (_, i) => get(`/${i}`)).join(''))
  await eventually('the second request is parsed', () => expect(parsed).toBe(2))
  expect(started).toEqual(['/0'])
  answer[0]?.end()
  await eventually('the third request is parsed', () => expect(parsed).toBe(3))
  expect(started).toEqual(['/0', '/1'])
})

test('bytes that are not a request are refused after the response in progress, and never into the middle of it', async () => {
  const port = await serve(echo)
  const { socket, said } = open(port)
  socket.write(`${get('/1') + get('/2')}hello\r\n\r\n`)
  await once(socket, 'end')
  expect(answers(said())).toEqual(['</1 >', '</2 >'])
  expect(said()).toMatch(/<\/2 >HTTP\/1\.1 400 [\s\S]*"request_invalid"/)
})

test('a refused connection is closed, even if its client keeps it open', async () => {
  const port = await serve(echo, { headers: 600_000, request: 600_000 })
  const { socket, said } = open(port)
  socket.write('hello\r\n\r\n')
  await eventually('the request is refused', () => expect(said()).toMatch(/^HTTP\/1\.1 400 /))
  await eventually('no connection is open', () => expect(connectionsOf(server).open.size).toBe(0))
})

test('requests after a response that ends the connection are not started', async () => {
  const started: string[] = []
  const port = await serve((req, res) => {
    started.push(req.url ?? '')
    res.shouldKeepAlive = false
    setImmediate(() => res.end('<last>'))
  })
  const { socket, said } = open(port)
  socket.write(get('/1') + get('/2') + get('/3'))
  await once(socket, 'end')
  expect([started, answers(said())]).toEqual([['/1'], ['<last>']])
})

const megabyte = Buffer.alloc(1024 * 1024, 'x')

test('a client that does not read has one response made for it, however much it asks for', async () => {
  let started = 0
  let body = megabyte
  const port = await serve((_req, res) => {
    started++
    res.end(body)
  })
  const { socket } = open(port)
  socket.pause()
  const requests = get('/large').repeat(100)
  for (let i = 0; i < 30; i++) socket.write(requests)
  const { open: all } = connectionsOf(server)
  const waiting = () => [...all.entries()].map(([s, { next }]) => s.writableLength > 0 && next?.rest !== undefined)
  // It also waits for a moment whenever it is faster than the system, until the buffers of the system are full.
  let seen = -1
  await eventually('the one connection waits with its next requests, and nothing more starts', () => {
    const seenBefore = seen
    seen = started
    expect([waiting(), seenBefore]).toEqual([[true], started])
  })
  const [[served, connection]] = [...all.entries()] as [[Socket, Connection]]
  const before = started
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
  expect(started).toBe(before)
  expect(served.writableLength).toBeLessThanOrEqual(megabyte.length + 1000)
  expect(connection.next?.rest?.length).toBeLessThanOrEqual(64 * 1024)
  body = Buffer.from('<small>')
  socket.resume()
  await eventually('3000 requests have started', () => expect(started).toBe(3000))
})

test('a response that makes no progress is given up when its time is over', async () => {
  const unread = { stalled: 200, unread: 1e9, check: 20 }
  const port = await serve((_req, res) => res.end(Buffer.concat(Array(16).fill(megabyte))), { unread })
  const { socket } = open(port)
  socket.pause()
  socket.write(get('/large'))
  const { open: all } = connectionsOf(server)
  const isUnread = () => [...all.keys()].some((served) => served.writableLength > 0)
  await eventually('a response waits to be read', () => expect(isUnread()).toBe(true))
  await eventually('no connection is open', () => expect(all.size).toBe(0))
})

const limits = { stalled: 60_000, unread: 1000, check: 1 }
/** Makes a simulated connection with `bytes` unsent bytes, of which the operating system still has to take `queued`. */
const held = (bytes: number, queued = bytes) => {
  const socket = { writableLength: bytes, bytesWritten: bytes, _handle: { writeQueueSize: queued } }
  const connection = { since: 0, answer: {}, next: undefined, requests: 1, stall: undefined }
  return [socket as unknown as Socket, connection as unknown as Connection] as const
}

test('a minute without any progress ends a response; the smallest progress restarts the minute', () => {
  const [slow, still, idle] = [held(100), held(100), held(0)]
  const open = new Map([slow, still, idle])
  expect(toGiveUp(open, limits, 0)).toEqual([])
  Object.assign(slow[0], { _handle: { writeQueueSize: 99 } })
  expect(toGiveUp(open, limits, 59_999)).toEqual([])
  expect(toGiveUp(open, limits, 60_000)).toEqual([still[0]])
  open.delete(still[0])
  expect(toGiveUp(open, limits, 119_998)).toEqual([])
  expect(toGiveUp(open, limits, 119_999)).toEqual([slow[0]])
})

test('while all responses together hold too much, those without progress for longest are given up first', () => {
  const [first, second, third] = [held(400), held(400), held(400)]
  const open = new Map([first])
  expect(toGiveUp(open, limits, 0)).toEqual([])
  open.set(...second)
  expect(toGiveUp(open, limits, 1000)).toEqual([])
  open.set(...third)
  expect(toGiveUp(open, limits, 2000)).toEqual([first[0]])
})
