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
import { connectionsToClose } from './unread.ts'

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

test.each([
  ['without a body', get('/first'), '</first >'],
  ['with a body', post('/first', 'x'.repeat(20_000)), `</first ${'x'.repeat(20_000)}>`],
  ['with a body in chunks', chunked('/first', 'x'.repeat(20_000)), `</first ${'x'.repeat(20_000)}>`],
])(
  'of 3,000 requests sent ahead on one connection the first, %s, is answered, and the connection is closed',
  async (_what, first, answer) => {
    const port = await serve(echo)
    const { socket, said } = open(port)
    socket.write(first)
    for (let i = 0; i < 3000; i++)
      socket.write([get(`/${i}`), post(`/${i}`, 'a body'), chunked(`/${i}`, 'a body')][i % 3] as string)
    await once(socket, 'end')
    expect(answers(said())).toEqual([answer])
    await eventually('no connection is open', () => expect(connectionsOf(server).open.size).toBe(0))
  },
)

test('a client that waits for each response keeps its connection', async () => {
  const port = await serve(echo)
  const { socket, said } = open(port)
  const wanted: string[] = []
  for (let i = 0; i < 50; i++) {
    socket.write(i % 2 ? post(`/${i}`, `body ${i}`) : get(`/${i}`))
    wanted.push(`</${i} ${i % 2 ? `body ${i}` : ''}>`)
    await eventually('the response has come', () => expect(answers(said())).toEqual(wanted), { everyMs: 1 })
  }
  expect(connectionsOf(server).taken).toBe(1)
})

test('requests that arrive byte by byte are answered in order', async () => {
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

test('only the headers of the first request that was sent ahead are parsed', async () => {
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
  const { socket, said } = open(port)
  socket.write(Array.from({ length: 500 }, (_, i) => get(`/${i}`)).join(''))
  await eventually('the second request is parsed', () => expect(parsed).toBe(2))
  answer[0]?.end('<whole>')
  await once(socket, 'end')
  expect([parsed, started, answers(said())]).toEqual([2, ['/0'], ['<whole>']])
})

test('bytes that are not a request are refused after the response in progress, and never into the middle of it', async () => {
  const port = await serve(echo)
  const { socket, said } = open(port)
  socket.write(`${get('/1')}hello\r\n\r\n`)
  await once(socket, 'end')
  expect(said()).toMatch(/<\/1 >HTTP\/1\.1 400 [\s\S]*"request_invalid"/)
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

test('a client that does not read has one response made for it, which it can still read whole', async () => {
  let started = 0
  const body = Buffer.concat(Array(16).fill(megabyte))
  const port = await serve((_req, res) => {
    started++
    res.end(body)
  })
  const { socket, said } = open(port)
  socket.pause()
  const requests = get('/large').repeat(100)
  for (let i = 0; i < 30; i++) socket.write(requests)
  const { open: all } = connectionsOf(server)
  const waiting = () => [...all.entries()].map(([s, { isEnding }]) => s.writableLength > 0 && isEnding)
  await eventually('the response waits to be read', () => expect(waiting()).toEqual([true]))
  const [[served]] = [...all.entries()] as [[Socket, Connection]]
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
  expect(started).toBe(1)
  expect(served.writableLength).toBeLessThanOrEqual(body.length + 1000)
  for (let i = 0; i < 30; i++) socket.write(requests)
  socket.resume()
  await once(socket, 'end')
  expect([started, said().slice(said().indexOf('\r\n\r\n') + 4) === String(body)]).toEqual([1, true])
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
  const connection = { since: 0, answer: {}, isEnding: false, requests: 1, stall: undefined }
  return [socket as unknown as Socket, connection as unknown as Connection] as const
}

test('a minute without any progress ends a response; the smallest progress restarts the minute', () => {
  const [slow, still, idle] = [held(100), held(100), held(0)]
  const open = new Map([slow, still, idle])
  expect(connectionsToClose(open, limits, 0)).toEqual([])
  Object.assign(slow[0], { _handle: { writeQueueSize: 99 } })
  expect(connectionsToClose(open, limits, 59_999)).toEqual([])
  expect(connectionsToClose(open, limits, 60_000)).toEqual([still[0]])
  open.delete(still[0])
  expect(connectionsToClose(open, limits, 119_998)).toEqual([])
  expect(connectionsToClose(open, limits, 119_999)).toEqual([slow[0]])
})

test('while all responses together hold too much, those without progress for longest are given up first', () => {
  const [first, second, third] = [held(400), held(400), held(400)]
  const open = new Map([first])
  expect(connectionsToClose(open, limits, 0)).toEqual([])
  open.set(...second)
  expect(connectionsToClose(open, limits, 1000)).toEqual([])
  open.set(...third)
  expect(connectionsToClose(open, limits, 2000)).toEqual([first[0]])
})
