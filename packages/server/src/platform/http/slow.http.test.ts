/**
 * Tests clients that send slowly or not at all, too many clients, and reports that arrive faster than they can be
 * stored (D18).
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { object } from '@svc/api'
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { offering, type ServiceOptions, send, startService, type TestService } from '../../../testing/service.ts'
import { openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { readInputBody } from '../../web/routing/body.ts'
import type { WebEnv } from '../../web/routing/guards.ts'
import { hashToken, newToken } from '../tokens.ts'
import { ArrivingBodies } from './arrivals.ts'
import { readBody } from './body.ts'
import { maxConnections } from './listener.ts'
import { cutOffQueue } from './turns.ts'

let w: TestWorkspace
let service: TestService | undefined
let server: Server | undefined
const sockets = new Set<Socket>()

beforeEach(async () => {
  w = await newTestWorkspace(await openTestSqlite())
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server?.close()
  await service?.stop()
  service = server = undefined
  await w.store.close()
})

const start = async (limits: NonNullable<ServiceOptions['limits']> = {}) => {
  service = await startService(w.store, { now: w.clock.now, limits })
  return service
}
const good = JSON.stringify({ protocol: 1, ...offering })
const ask = (token = w.agent.token, body = good) => send({ port: service?.port ?? 0 }, { token, body })
const waits = { seconds: 30, everyMs: 20 }

/** Opens a connection; `closed` resolves with all received bytes when it is closed. */
async function open(port: number, bytes = ''): Promise<{ socket: Socket; closed: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(said)))
  await once(socket, 'connect')
  if (bytes) socket.write(bytes)
  return { socket, closed }
}
/** The next bytes that arrive on a connection. Rejects if it is closed before, so that no test waits for nothing. */
function received(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error('the connection was closed without an answer'))
    socket.once('close', closed)
    socket.once('data', (chunk) => {
      socket.off('close', closed)
      resolve(String(chunk))
    })
    if (socket.closed) closed()
  })
}
const headers = 'POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:8787\r\n'
const authorized = (length: number) =>
  `${headers}Authorization: Bearer ${w.agent.token}\r\nContent-Length: ${length}\r\n\r\n`

test.each([
  ['sends nothing', ''],
  ['stops in the middle of its headers', headers],
])('a client that %s is cut off when its time is over', async (_what, bytes) => {
  const { port } = await start({ headers: 300, check: 50 })
  const { closed } = await open(port, bytes)
  expect(await closed).toMatch(bytes ? /^HTTP\/1\.1 408 / : /^$/)
})

test('hundreds of slow clients do not delay a normal one, and all of them are cut off', async () => {
  const { port, connections } = await start({ headers: 1500, check: 100 })
  const slow = await Promise.all(
    Array.from({ length: 300 }, (_, i) => open(port, i % 3 === 0 ? '' : i % 3 === 1 ? headers : authorized(5000))),
  )
  const { token } = await w.addAgent('honest')
  for (let i = 0; i < 20; i++) expect((await ask(token)).status).toBe(200)
  const sendSlowly = slow.filter((_, i) => i % 3 < 2)
  await Promise.all(sendSlowly.map(({ closed }) => closed))
  // Clients that have sent only headers get half a minute to send the body, so they are still connected.
  expect(await connections()).toBeGreaterThanOrEqual(100)
  expect((await ask(token)).status).toBe(200)
})

test('clients that disconnect during their requests leave nothing behind', async () => {
  const { port, connections } = await start()
  const all = await Promise.all(Array.from({ length: 60 }, (_, i) => open(port, i % 2 ? headers : authorized(5000))))
  await eventually('60 connections are open', async () => expect(await connections()).toBe(60), waits)
  for (const { socket } of all) socket.end()
  for (const { closed } of all) expect(await closed).toBe('')
  await eventually('no connection is open', async () => expect(await connections()).toBe(0), waits)
})

/** Adds work of half a second to the queue in which connections are cut off. */
function othersAreDue(): void {
  for (let i = 0; i < 60; i++) {
    cutOffQueue.add(() => {
      for (const until = performance.now() + 3; performance.now() < until; );
    })
  }
}

test('headers that arrive late, but before their connection was cut off, are answered', async () => {
  const { port } = await start({ headers: 200, check: 20 })
  const { socket, closed } = await open(port, headers)
  othersAreDue()
  await sleep(250)
  socket.write(authorized(good.length).slice(headers.length) + good)
  const answer = await received(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
  await closed
})

test('a request that takes longer than allowed is cut off, though its headers arrived in time', async () => {
  const { port } = await start({ headers: 300, request: 400, check: 50 })
  const { closed } = await open(port, authorized(5000))
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
})

/** Starts a server that only reads the body of each request, and answers with how the reading ended. */
async function reading(arrivals: ArrivingBodies): Promise<{ port: number; bodies: string[]; read: { bytes: number } }> {
  const bodies: string[] = []
  const read = { bytes: 0 }
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    req.on('data', (chunk: Buffer) => {
      read.bytes += chunk.length
    })
    const body = await readBody(req, res, 1_000_000, arrivals)
    bodies.push(body.is)
    res.end(body.is)
  }
  server = createServer((req, res) => void answer(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, bodies, read }
}
const post = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

test('a body that is incomplete when its time is over is given up, even while bytes still arrive slowly', async () => {
  const { port, bodies } = await reading(new ArrivingBodies({ time: 300, held: 1e6, check: 50 }))
  const { socket, closed } = await open(port, post(10_000))
  const drip = setInterval(() => socket.write('x'), 20)
  await closed
  clearInterval(drip)
  await eventually('one body was given up', () => expect(bodies).toEqual(['broken']), waits)
})

test('a body that completes before it was given up is read', async () => {
  const { port, bodies } = await reading(new ArrivingBodies({ time: 100, held: 1e6, check: 20 }))
  const { socket } = await open(port, post(10))
  othersAreDue()
  await sleep(200)
  socket.write('0123456789')
  await eventually('the body was read', () => expect(bodies).toEqual(['whole']), waits)
})

test('a slow body for a page is given up in the same way', async () => {
  const all = new ArrivingBodies({ time: 300, held: 1e6, check: 50 })
  const said: string[] = []
  const app = new Hono<WebEnv>().post('/', async (c) => {
    const read = await readInputBody(c, object({}), undefined, all).catch((error: Error) => error)
    said.push(read instanceof Error ? read.message : 'whole')
    return c.json(read)
  })
  const answer = getRequestListener(app.fetch)
  server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const json = (length: number) => post(length).replace('\r\n\r\n', '\r\nContent-Type: application/json\r\n\r\n')
  const whole = await open(port, `${json(2)}{}`)
  await received(whole.socket)
  const { socket, closed } = await open(port, json(10_000))
  const drip = setInterval(() => socket.write(' '), 20)
  await closed
  clearInterval(drip)
  const both = ['whole', 'The body was cut off.']
  await eventually('one body was read and one given up', () => expect(said).toEqual(both), waits)
})

test('bodies that together hold too much are given up, the oldest first', async () => {
  const { port, bodies, read } = await reading(new ArrivingBodies({ time: 60_000, held: 100_000, check: 60_000 }))
  const half = 'x'.repeat(45_000)
  const first = await open(port, post(90_000) + half)
  await eventually('the first body is read as far as it came', () => expect(read.bytes).toBe(45_000), waits)
  const second = await open(port, post(60_000) + half)
  await eventually('both bodies are read as far as they came', () => expect(read.bytes).toBe(90_000), waits)
  const third = await open(port, post(90_000) + 'x'.repeat(20_000))
  await first.closed
  await eventually('one body was given up', () => expect(bodies).toEqual(['broken']), waits)
  second.socket.write('x'.repeat(15_000))
  await eventually('the second body was read', () => expect(bodies).toEqual(['broken', 'whole']), waits)
  third.socket.destroy()
})

test('a connection serves a limited number of requests, and its last answer closes it', async () => {
  const { port } = await start({ requestsPerConnection: 2 })
  const { socket } = await open(port)
  const answers: string[] = []
  for (let i = 0; i < 2; i++) {
    socket.write(authorized(good.length) + good)
    const answer = await received(socket)
    answers.push(/Connection: (\S+)/i.exec(answer)?.[1] ?? '')
  }
  expect(answers).toEqual(['keep-alive', 'close'])
})

test('with many connections open, each ends with its answer, so that others get a turn', async () => {
  const { port } = await start({ keep: 2 })
  await Promise.all([open(port), open(port)])
  const { closed } = await open(port, authorized(good.length) + good)
  expect(await closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close/)
})

test('beyond its limit the service accepts no connection, and keeps serving those it has', async () => {
  const { port } = await start({ connections: 3 })
  const { socket } = await open(port)
  await Promise.all([open(port), open(port)])
  expect(await (await open(port)).closed).toBe('')
  socket.write(authorized(good.length) + good)
  const answer = await received(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  ['Max open files            1048576              1048576              files', 200_000],
  ['Max processes 1 1 x\nMax open files            20000                20000                files', 19_744],
  ['Max open files            100                  100                  files', 64],
  ['Max open files            unlimited            unlimited            files', 200_000],
  ['', 200_000],
])('with "%s" there is room for connections', (limits, max) => expect(maxConnections(limits)).toBe(max))

/** Runs `act` while a transaction occupies the store's connection, so that nothing else can be stored. */
async function whileStoreStands<T>(act: () => Promise<T>): Promise<T> {
  return w.store.db.transaction().execute(act)
}
async function manyAgents(count: number): Promise<{ token: string }[]> {
  const agents = Array.from({ length: count }, (_, i) => ({
    id: `agent ${i}`,
    name: `a${i}`,
    token: newToken('agent'),
  }))
  const rows = agents.map(({ id, name, token }) => ({
    id,
    name,
    workspace_id: w.workspace.id,
    token_hash: hashToken(token),
    created_at: w.clock.now(),
  }))
  await w.store.db.insertInto('agent').values(rows).execute()
  return agents
}

test('when more is waiting than there is memory for, the next report is refused unread and may come again later', async () => {
  // One connection is idle until all the reports have been sent, which takes long on a busy machine.
  const { metrics, port } = await start({ headers: 600_000, request: 600_000, idle: 600_000 })
  const agents = await manyAgents(1064)
  const { socket: kept } = await open(port)
  const body = JSON.stringify({ protocol: 1, state: { label: 'x' }, ignored: 'x'.repeat(32_000) })
  const sent: ReturnType<typeof ask>[] = []
  await whileStoreStands(async () => {
    for (const { token } of agents) sent.push(ask(token, body))
    await eventually(
      '1047 reports wait',
      () => expect(metrics.waiting + metrics.inBatches).toBeGreaterThanOrEqual(1047),
      waits,
    )
    const refused = await ask()
    expect([refused.status, refused.json.error.code]).toEqual([503, 'unavailable'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(5)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30)
    kept.write(authorized(good.length) + good)
    expect(await received(kept)).toMatch(/^HTTP\/1\.1 503 [\s\S]*Connection: keep-alive/)
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1000)
  expect(
    await w.store.db.selectFrom('agent_report').select('agent_id').where('agent_id', '=', w.agent.id).execute(),
  ).toEqual([])
  expect((await ask()).status).toBe(200)
  kept.write(authorized(good.length) + good)
  expect(await received(kept)).toMatch(/^HTTP\/1\.1 200 /)
})

test('few large reports are read before earlier ones are stored, few wait for that, and small ones overtake them', async () => {
  const { metrics } = await start()
  const agents = await manyAgents(150)
  const body = JSON.stringify({ protocol: 1, state: { label: 'x' }, ignored: 'x'.repeat(250_000) })
  const sent: ReturnType<typeof ask>[] = []
  const refused: number[] = []
  await whileStoreStands(async () => {
    for (const { token } of agents) {
      const one = ask(token, body)
      void one.then(({ status }) => status === 503 && refused.push(status))
      sent.push(one)
    }
    await eventually('20 reports are refused', () => expect(refused.length).toBe(20), waits)
    expect(metrics.waiting + metrics.inBatches).toBe(2)
    sent.push(ask())
    await eventually('3 reports wait', () => expect(metrics.waiting + metrics.inBatches).toBe(3), waits)
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect([statuses.filter((status) => status === 200).length, refused.length]).toEqual([131, 20])
})

test('logs that wait to be stored use memory too: beyond a limit the next one is refused unread', async () => {
  await start()
  const agents = await manyAgents(14)
  const text = JSON.stringify({ command: 'c', name: 'work', text: 'x'.repeat(500_000), ignored: 'x'.repeat(2_500_000) })
  const sendLog = (token: string) =>
    send({ port: service?.port ?? 0 }, { path: '/api/agent/v1/log', token, body: text })
  const sent: ReturnType<typeof ask>[] = []
  await whileStoreStands(async () => {
    for (const { token } of agents) sent.push(sendLog(token))
    const refused = async () => (await sendLog(w.agent.token)).status
    const first = await Promise.race([refused(), ...sent.map(async (one) => (await one).status)])
    expect(first).toBe(503)
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.every((status) => status === 404 || status === 503)).toBe(true)
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThan(8)
  expect((await sendLog(w.agent.token)).status).toBe(404)
})

test('while reports arrive faster than they are stored, agents are asked to report every minute', async () => {
  const { metrics } = await start()
  const agents = await manyAgents(640)
  const sent: ReturnType<typeof ask>[] = []
  await whileStoreStands(async () => {
    for (const { token } of agents) sent.push(ask(token))
    await eventually('512 reports wait for a batch', () => expect(metrics.waiting).toBeGreaterThanOrEqual(512), waits)
    await eventually('640 reports wait', () => expect(metrics.waiting + metrics.inBatches).toBe(640), waits)
    sent.push(ask())
    await eventually('641 reports wait', () => expect(metrics.waiting + metrics.inBatches).toBe(641), waits)
  })
  const answers = (await Promise.all(sent)).map(({ json }) => json.interval)
  expect(answers[0]).toBe(30)
  expect(answers.at(-1)).toBe(60)
  expect((await ask()).json.interval).toBe(30)
})
