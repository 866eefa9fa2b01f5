/**
 * Tests the shutdown of a service as connected clients see it (D53): requests that have arrived are answered, later
 * ones are refused.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { listenWide } from '../../platform/http/listen.ts'
import { makeDrain } from './drain.ts'

let server: Server
let drain: () => Promise<void>
const clients = new Set<Client>()

beforeEach(async () => {
  server = createServer((req, res) => {
    if (!server.listening) res.shouldKeepAlive = false
    req.resume().on('end', () => res.end('stored'))
  })
  server.keepAliveTimeout = 60_000
  drain = makeDrain(server, () => {}, await listenWide(server, { port: 0, host: '127.0.0.1', how: '' }))
})
afterEach(() => {
  for (const { socket } of clients) socket.destroy()
  clients.clear()
  server.closeAllConnections()
  server.close()
})

interface Client {
  socket: Socket
  /** The number of answers that the client has received so far. */
  answers: () => number
  /** How the connection ended: the code of an error, or `end`. */
  ended: Promise<string>
}

const request = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'

function begin(): Client {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise<string>((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once('close', () => resolve('end'))
  })
  const client = { socket, answers: () => said.split('stored').length - 1, ended }
  clients.add(client)
  return client
}

/** Opens a connection on which one request was answered already, so that another one can follow. */
async function kept(): Promise<Client> {
  const client = begin()
  client.socket.write(request)
  await once(client.socket, 'data')
  return client
}

test('a request that has arrived and was not read yet is answered', async () => {
  const client = await kept()
  client.socket.write(request)
  await drain()
  expect([await client.ended, client.answers()]).toEqual(['end', 2])
})

test('clients that are connecting at that moment are answered', async () => {
  const all = Array.from({ length: 100 }, begin)
  for (const { socket } of all) socket.write(request)
  await drain()
  const ends = await Promise.all(all.map(async ({ ended, answers }) => [await ended, answers()]))
  expect(ends).toEqual(all.map(() => ['end', 1]))
})

test('no connection is accepted after the shutdown', async () => {
  const { port } = server.address() as AddressInfo
  await drain()
  for (let i = 0; i < 32; i++) {
    const socket = connect(port, '127.0.0.1')
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
  }
})

test('a request that arrives while hundreds of idle connections are closed is answered', async () => {
  const accepted: (number | undefined)[] = []
  server.on('connection', ({ remotePort }) => accepted.push(remotePort))
  const all = await Promise.all(Array.from({ length: 400 }, kept))
  // The connections are closed in the order in which they were accepted.
  const late = all.filter(({ socket }) => accepted.slice(-5).includes(socket.localPort))
  const drained = drain()
  await eventually('the server no longer listens', () => expect(server.listening).toBe(false), { everyMs: 1 })
  for (const { socket } of late) socket.write(request)
  await drained
  expect(await Promise.all(late.map(async ({ ended, answers }) => [await ended, answers()]))).toEqual(
    late.map(() => ['end', 2]),
  )
})

test('a connection that has not sent anything yet gets a moment to do so', async () => {
  const client = begin()
  await once(client.socket, 'connect')
  const drained = drain()
  await eventually('the server no longer listens', () => expect(server.listening).toBe(false), { everyMs: 1 })
  await setImmediate()
  client.socket.write(request)
  await drained
  expect([await client.ended, client.answers()]).toEqual(['end', 1])
})

test('the shutdown waits for half a request; idle and silent connections do not delay it', async () => {
  const [half] = [begin(), begin(), await kept()]
  half.socket.write(request.slice(0, 20))
  const drained = drain()
  setTimeout(() => half.socket.write(request.slice(20)), 300)
  await drained
  expect(half.answers()).toBe(1)
})
