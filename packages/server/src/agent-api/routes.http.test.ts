import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { limits } from '@svc/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import {
  offering,
  type Reply,
  report,
  type SendOptions,
  send,
  startService,
  type TestService,
} from '../../testing/service.ts'
import { openTestSqlite } from '../../testing/stores.ts'
import { addAgent, addWorkspace, newTestWorkspace, type TestWorkspace } from '../../testing/test-workspace.ts'
import { findCommand, sendCommand } from '../fleet/commands/store.ts'
import { hashToken, newToken } from '../platform/tokens.ts'

let w: TestWorkspace
let service: TestService

beforeEach(async () => {
  w = await newTestWorkspace(await openTestSqlite())
  service = await startService(w.store, { now: w.clock.now })
})
afterEach(async () => {
  await service.stop()
  await w.store.close()
})

const good = JSON.stringify({ protocol: 1, ...offering })
const ask = (sending: SendOptions = {}): Promise<Reply> =>
  send(service, { token: w.agent.token, body: good, ...sending })
const code = (reply: Reply) => [reply.status, reply.json?.error?.code]
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const rows = (table: 'agent_report' | 'run' | 'log') => w.store.db.selectFrom(table).selectAll().execute()
const press = async (type: 'pause' | 'log', payload: object = {}) => {
  const wish = { type, payload } as Parameters<typeof sendCommand>[2]
  const queued = await sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, wish)
  if (!queued.ok) throw new Error(queued.message)
  return queued.value.command.id
}

test('a report is answered with commands and interval, and must not be cached (2.7, D56)', async () => {
  const reply = await ask()
  expect(reply).toMatchObject({
    status: 200,
    text: '{"commands":[],"interval":30}',
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
  expect(await rows('agent_report')).toMatchObject([{ agent_id: w.agent.id, interval_s: 30 }])
  expect(service.live.heard).toEqual([{ what: 'reported', workspaceId: w.workspace.id, agentId: w.agent.id }])
})

test('a sent command is in the next answer, exactly as the contract writes it, and open pages are notified', async () => {
  await ask()
  const id = await press('pause')
  expect((await ask()).json).toEqual({ commands: [{ id, type: 'pause', payload: {} }], interval: 30 })
  expect(service.live.heard.at(-1)).toEqual({ what: 'changed', workspaceId: w.workspace.id, agentId: w.agent.id })
})

test('while somebody looks at the page, a report is requested every 5 s', async () => {
  service.live.watched.add(w.agent.id)
  expect((await ask()).json.interval).toBe(limits.watchedIntervalSeconds)
  expect(await rows('agent_report')).toMatchObject([{ interval_s: 5 }])
})

test('a missing, unknown, rotated or deleted token and one of another kind get the same 401 (D22)', async () => {
  const first = await ask({ token: newToken('agent') })
  expect(code(first)).toEqual([401, 'token_unknown'])
  const { db } = w.store
  await ask()
  await db
    .updateTable('agent')
    .set({ token_hash: hashToken(newToken('agent')) })
    .where('id', '=', w.agent.id)
    .execute()
  const gone = await w.addAgent('gone')
  await ask({ token: gone.token })
  await db.deleteFrom('agent').where('id', '=', gone.id).execute()
  const replies = [await send(service, { body: good })]
  for (const token of [newToken('bot'), 'x', w.agent.token, gone.token]) replies.push(await ask({ token }))
  for (const reply of replies) expect([reply.status, reply.text]).toEqual([401, first.text])
})

test('an agent of a workspace that is not activated gets 403 and stores nothing; after activation it is served', async () => {
  const south = await addWorkspace(w.store, 'south', false, w.clock.now())
  const agent = await addAgent(w.store, south.id, 'asleep', w.clock.now())
  expect(code(await ask({ token: agent.token }))).toEqual([403, 'workspace_inactive'])
  expect(await rows('agent_report')).toEqual([])
  await w.store.db
    .insertInto('workspace_product')
    .values({ workspace_id: south.id, product_id: 'svc', activated_at: 1 })
    .execute()
  expect((await ask({ token: agent.token })).status).toBe(200)
  await w.store.db.deleteFrom('workspace_product').where('workspace_id', '=', south.id).execute()
  expect(code(await ask({ token: agent.token }))).toEqual([403, 'workspace_inactive'])
})

test.each([
  ['is not JSON', 'not json'],
  ['names no protocol', '{}'],
  ['nothing', ''],
  ['is not UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d])],
])('a body that %s is 400 (D14)', async (_what, body) => {
  const reply = await ask({ body })
  expect(code(reply)).toEqual([400, 'body_invalid'])
  expect(await rows('agent_report')).toEqual([])
})

test('unknown fields are ignored at any depth: they are neither stored nor sent on (9.4, D14)', async () => {
  const deep = nested(130_000)
  expect((await ask({ body: `{"protocol":1,"x":${deep}}` })).status).toBe(200)
  expect((await ask({ body: `{"protocol":1,"state":{"level":"warn","x":${deep}}}` })).status).toBe(200)
  expect(await rows('agent_report')).toMatchObject([{ body: '{"protocol":1,"state":{"level":"warn"}}', level: 'warn' }])
})

test.each<[string, string, number, (depth: number) => string]>([
  ['a report', 'report', limits.reportBytes, (depth) => '['.repeat(2 * depth)],
  ['a report', 'report', limits.reportBytes, (depth) => `{"protocol":${nested(depth)}}`],
  ['a report', 'report', limits.reportBytes, (depth) => `{"protocol":1,"settings":{"values":{"a":${nested(depth)}}}}`],
  ['a report', 'report', limits.reportBytes, (depth) => `{"protocol":1,"acks":[{"id":${nested(depth)},"ok":true}]}`],
  ['a log', 'log', limits.logBodyBytes, (depth) => '['.repeat(2 * depth)],
  ['a log', 'log', limits.logBodyBytes, (depth) => `{"command":${nested(depth)}}`],
  ['a log', 'log', limits.logBodyBytes, (depth) => `{"command":"c","name":"n","text":"t","x":${nested(depth)}}`],
  ['a preview', 'install/preview', limits.installBodyBytes, (depth) => `{"code":${nested(depth)}}`],
  ['a redeem', 'install', limits.installBodyBytes, (depth) => `{"code":"svc_inst_x","x":${nested(depth)}}`],
])(
  'the deepest body of %s (%s, %s bytes) is answered and never causes a fault of the service (I10)',
  async (...[, route, max, body]) => {
    const reply = await ask({ path: `/api/agent/v1/${route}`, body: body(Math.floor((max - 80) / 2)) })
    expect(reply.status).toBeGreaterThanOrEqual(200)
    expect(reply.status).toBeLessThan(500)
    expect((await ask()).status).toBe(200)
  },
)

test('a body with a content encoding is 400, except identity (D14)', async () => {
  expect(code(await ask({ headers: { 'Content-Encoding': 'gzip' } }))).toEqual([400, 'body_invalid'])
  expect((await ask({ headers: { 'Content-Encoding': 'identity' } })).status).toBe(200)
})

test('256 KB are accepted, one byte more is 413, and a client that sends much more can still read the answer', async () => {
  const padded = (size: number) => `{"protocol":1,"x":"${'x'.repeat(size - 21)}"}`
  expect(padded(limits.reportBytes).length).toBe(limits.reportBytes)
  expect((await ask({ body: padded(limits.reportBytes) })).status).toBe(200)
  expect(code(await ask({ body: padded(limits.reportBytes + 1) }))).toEqual([413, 'body_too_large'])
  for (let i = 0; i < 20; i++) {
    const reply = await ask({ body: 'x'.repeat(3_000_000) })
    expect(code(reply)).toEqual([413, 'body_too_large'])
    expect(reply.headers.connection).toBe('close')
  }
})

test('a chunked body is counted while it arrives', async () => {
  const headers = { 'Transfer-Encoding': 'chunked' }
  expect((await ask({ headers })).status).toBe(200)
  expect(code(await ask({ headers, body: 'x'.repeat(300_000) }))).toEqual([413, 'body_too_large'])
})

test('the 61st call in 60 s is 429 with Retry-After, whatever the calls before were; rotating the token resets nothing (D16)', async () => {
  for (let i = 0; i < 60; i++) await ask(i % 3 === 0 ? {} : { body: 'bad' })
  w.clock.pass(20)
  const refused = await ask()
  expect(code(refused)).toEqual([429, 'rate_limited'])
  expect(refused.headers['retry-after']).toBe('40')
  const token = newToken('agent')
  await w.store.db
    .updateTable('agent')
    .set({ token_hash: hashToken(token) })
    .where('id', '=', w.agent.id)
    .execute()
  expect(code(await ask({ token }))).toEqual([429, 'rate_limited'])
  expect((await ask({ token: (await w.addAgent('other')).token })).status).toBe(200)
  w.clock.pass(40)
  expect((await ask({ token })).status).toBe(200)
})

test('refusals come in the order host, route, 401, 403, 429, 413, 400, then 404 for the log (D15)', async () => {
  const big = 'x'.repeat(limits.logBodyBytes + 1)
  const asleep = await addAgent(
    w.store,
    (await addWorkspace(w.store, 'south', false, w.clock.now())).id,
    'asleep',
    w.clock.now(),
  )
  const log = { path: '/api/agent/v1/log' }
  const unknown = JSON.stringify({ command: 'x', name: 'work', text: '' })
  const encoded = { 'Content-Encoding': 'gzip' }
  const steps: [SendOptions, number][] = [
    [{ ...log, headers: { Host: 'other:8787' }, token: 'x', body: big }, 404],
    [{ ...log, token: 'x', body: big }, 401],
    [{ ...log, token: asleep.token, body: big }, 403],
    [{ ...log, body: big, headers: encoded }, 413],
    [{ ...log, body: unknown, headers: encoded }, 400],
    [{ ...log, body: '{}' }, 400],
    [{ ...log, body: unknown }, 404],
  ]
  for (const [sending, status] of steps) expect((await ask(sending)).status).toBe(status)
  for (let i = 0; i < 6; i++) await ask({ ...log, body: unknown })
  expect((await ask({ ...log, body: big, headers: encoded })).status).toBe(429)
})

test.each([
  ['another name', { Host: 'evil.example' }],
  ['another port', { Host: 'localhost:8788' }],
  ['a name that only starts with the configured one', { Host: 'localhost:8787.evil.example' }],
  ['a forwarded name from an unknown peer', { Host: 'x', 'X-Forwarded-Host': 'localhost:8787' }],
])('on %s everything is 404, with the address of the service and the setting (D23, D82)', async (_what, headers) => {
  const says = /answers only at http:\/\/localhost:8787.*SVC_BASE_URL/
  const forProgram = await ask({ headers })
  expect(code(forProgram)).toEqual([404, 'not_found'])
  expect(forProgram.json).toEqual({
    error: { code: 'not_found', message: expect.stringMatching(says), address: 'http://localhost:8787' },
  })
  const script = await send(service, { method: 'GET', path: '/', headers: { ...headers, Accept: '*/*' } })
  expect(code(script)).toEqual([404, 'not_found'])
  const browser = { ...headers, Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const forPerson = await send(service, { method: 'GET', path: '/w/<b>', headers: browser })
  expect([forPerson.status, forPerson.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(forPerson.headers['content-security-policy']).toContain("default-src 'none'")
  expect(forPerson.text).toContain('It answers only at http://localhost:8787.')
  expect(forPerson.text).toContain('SVC_BASE_URL')
  expect(forPerson.text).not.toMatch(/evil|<b>/)
})

test('the configured address in upper or lower case, and an absolute target, are served (D23)', async () => {
  expect((await ask({ headers: { Host: 'LOCALHOST:8787' } })).status).toBe(200)
  expect((await ask({ path: 'http://localhost:8787/api/agent/v1/report', headers: { Host: 'x' } })).status).toBe(200)
  expect((await ask({ path: 'http://evil.example/api/agent/v1/report' })).status).toBe(404)
})

test.each([
  ['inside:1', 'localhost:8787', 200],
  ['inside:1', 'evil.example, LOCALHOST:8787', 200],
  ['inside:1', 'localhost:8787, evil.example', 404],
  ['localhost:8787', ' ', 200],
  ['localhost:8787', 'evil.example', 404],
])('a configured proxy that asks %s for "%s" gets %i (D23, D81)', async (host, forwarded, status) => {
  const behind = await startService(w.store, { now: w.clock.now, config: { trustedProxies: ['127.0.0.0/8'] } })
  const headers = { Host: host, 'X-Forwarded-Host': forwarded }
  expect((await send(behind, { token: w.agent.token, body: good, headers })).status).toBe(status)
  await behind.stop()
})

test('other paths and methods are passed on to the pages', async () => {
  expect((await send(service, { method: 'GET', path: '/' })).text).toBe('a page')
  expect((await send(service, { method: 'GET', path: '/api/agent/v1/report' })).text).toBe('a page')
  expect((await ask({ path: '/api/agent/v1/report?x=1' })).status).toBe(200)
})

test('a client that waits for "100 Continue" is allowed to send, or refused before it sends', async () => {
  const exchange = (token: string, length: number, body: string) =>
    new Promise<string>((resolve) => {
      let said = ''
      const socket = connect(service.port, '127.0.0.1')
      socket.write(
        `POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:8787\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
      )
      socket.on('data', (chunk) => {
        said += chunk
        if (said === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body)
      })
      socket.on('close', () => resolve(said))
    })
  expect(await exchange(w.agent.token, good.length, good)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
  expect(await exchange(newToken('agent'), good.length, good)).toMatch(/^HTTP\/1\.1 401 /)
})

test.each([
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: localhost:8787\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'length and chunks',
    'POST / HTTP/1.1\r\nHost: localhost:8787\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
])(
  'bytes that are not a request (%s) are answered in the envelope, and the service keeps running (I10)',
  async (_what, bytes, answer) => {
    const socket = connect(service.port, '127.0.0.1')
    socket.end(bytes)
    let said = ''
    socket.on('data', (chunk) => {
      said += chunk
    })
    await once(socket, 'close')
    expect(said).toMatch(answer)
    expect((await ask()).status).toBe(200)
  },
)

test('a connection is kept between reports, and 200 simultaneous reports are all answered', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const agents = await Promise.all(Array.from({ length: 200 }, (_, i) => w.addAgent(`a${i}`)))
  const replies = await Promise.all(agents.map(({ token }) => ask({ token, agent })))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(replies[0]?.headers.connection).not.toBe('close')
  expect((await rows('agent_report')).length).toBe(200)
  expect(service.metrics.reports).toBe(200)
  expect(service.metrics.batches).toBeLessThan(150)
  agent.destroy()
})

test('when the database fails, a report is 503 with a delay, nothing is stored, and later reports work again', async () => {
  await ask()
  const { store } = w
  if (store.engine !== 'sqlite') throw new Error('This test is for the embedded engine.')
  await press('pause')
  store.sqlite.exec('pragma query_only = on')
  const refused = await ask({ body: JSON.stringify({ protocol: 1, state: { level: 'bad' } }) })
  expect(code(refused)).toEqual([503, 'unavailable'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(5)
  store.sqlite.exec('pragma query_only = off')
  expect(await rows('agent_report')).toMatchObject([{ level: null }])
  expect((await ask()).json.commands).toMatchObject([{ type: 'pause' }])
  expect(service.errors.length).toBe(1)
})

test('a client that hangs up while its report waits claims no command; its report is still stored (D1)', async () => {
  await ask()
  const id = await press('pause')
  const held = Promise.withResolvers<void>()
  const transaction = w.store.db.transaction().execute(() => held.promise)
  const socket = connect(service.port, '127.0.0.1')
  const body = JSON.stringify({ protocol: 1, state: { level: 'warn' } })
  socket.write(
    `POST /api/agent/v1/report HTTP/1.1\r\nHost: localhost:8787\r\nAuthorization: Bearer ${w.agent.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await eventually('one report waits', () => expect(service.metrics.waiting + service.metrics.inBatches).toBe(1))
  socket.resetAndDestroy()
  await eventually('no connection is open', async () => expect(await service.connections()).toBe(0))
  held.resolve()
  await transaction
  await eventually('two reports were stored', () => expect(service.metrics.reports).toBe(2))
  expect(await rows('agent_report')).toMatchObject([{ level: 'warn' }])
  expect(await findCommand(w.store.db, w.agent, id)).toMatchObject({ state: 'queued' })
  expect((await ask()).json.commands).toMatchObject([{ id }])
})

test('a requested log is stored and settles its command (2.8)', async () => {
  await ask()
  const command = await press('log', { name: 'work' })
  await ask()
  const body = JSON.stringify({ command, name: 'work', text: 'line 1\nline 2' })
  expect(await ask({ path: '/api/agent/v1/log', body })).toMatchObject({ status: 200, text: '{}' })
  expect(await rows('log')).toMatchObject([{ name: 'work', text: 'line 1\nline 2', command_id: command }])
  expect(await findCommand(w.store.db, w.agent, command)).toMatchObject({ state: 'applied' })
  expect((await ask({ path: '/api/agent/v1/log', body })).status).toBe(200)
  expect((await rows('log')).length).toBe(1)
})

test('the end of a log longer than 512 KB is kept; 3.2 MB of escapes are accepted, more is 413 (D7)', async () => {
  await ask()
  const command = await press('log', { name: 'work' })
  await ask()
  const text = '\u0000'.repeat(limits.logTextBytes)
  const body = JSON.stringify({ command, name: 'work', text })
  expect(body.length).toBeGreaterThan(limits.logBodyBytes - 60_000)
  expect((await ask({ path: '/api/agent/v1/log', body })).status).toBe(200)
  const [stored] = await w.store.db.selectFrom('log').select(['text', 'bytes']).execute()
  expect(stored?.bytes).toBeLessThanOrEqual(limits.logTextBytes)
  expect(Buffer.byteLength(stored?.text ?? '')).toBe(stored?.bytes)
  expect((await ask({ path: '/api/agent/v1/log', body: 'x'.repeat(limits.logBodyBytes + 1) })).status).toBe(413)
})

test('the 11th log in a minute is 429, and reports are counted separately (D16)', async () => {
  const body = JSON.stringify({ command: 'x', name: 'work', text: '' })
  for (let i = 0; i < 10; i++) expect((await ask({ path: '/api/agent/v1/log', body })).status).toBe(404)
  expect((await ask({ path: '/api/agent/v1/log', body })).status).toBe(429)
  expect((await report(service, w.agent.token)).interval).toBe(30)
})
