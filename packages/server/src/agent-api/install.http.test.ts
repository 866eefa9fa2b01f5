import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { StatementSync } from 'node:sqlite'
import { buffer as bytesOf } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { eventually } from '../../../../testing/eventually.ts'
import type { BundleOptions } from '../../testing/bundles.ts'
import { type InstallWorkspace, installing } from '../../testing/installing.ts'
import {
  type Reply,
  report,
  type SendOptions,
  type ServiceOptions,
  send,
  startService,
  type TestService,
} from '../../testing/service.ts'
import { openTestSqlite } from '../../testing/stores.ts'
import { createAgent, rotateToken } from '../fleet/agents/store.ts'
import { activate, deactivate } from '../people/workspaces/store.ts'
import { issueCodes } from '../updates/installs/issue.ts'
import { HeldBundles } from './bundle.ts'

afterEach(() => vi.restoreAllMocks())

interface Ready extends InstallWorkspace {
  service: TestService
  preview: (code: unknown, more?: SendOptions) => Promise<Reply>
  redeem: (code: unknown, more?: SendOptions) => Promise<Reply>
}

async function start(made: BundleOptions | false = {}, options: ServiceOptions = {}): Promise<Ready> {
  const store = await openTestSqlite()
  afterThisTest(store.close)
  const w = await installing(store)
  const service = await startService(store, { ...options, now: w.clock.now })
  afterThisTest(service.stop)
  if (made) await w.upload(made)
  const call =
    (path: string) =>
    (code: unknown, more: SendOptions = {}) =>
      send(service, { path, body: JSON.stringify({ code }), ...more })
  return { ...w, service, preview: call('/api/agent/v1/install/preview'), redeem: call('/api/agent/v1/install') }
}

const bound: BundleOptions = { bindings: ['tasks:editor:tasks.write'], description: 'Sorts mail.' }
const unknown = `svc_inst_${'x'.repeat(43)}`

describe('the install calls', () => {
  test('a preview names the settings with their defaults, so that they can be chosen before the code is used up', async () => {
    const w = await start({ settings: '[{key: every, type: number, min: 1, default: 10}, {key: source, type: text}]' })
    const { json } = await w.preview(await w.issue())
    expect(json.settings).toEqual([
      { key: 'every', type: 'number', min: 1, default: 10 },
      { key: 'source', type: 'text' },
    ])
  })

  test('after a preview and a redeem the agent reports with its token (2.9)', async () => {
    const w = await start(false)
    const bytes = await w.upload(bound)
    const code = await w.issue()
    const preview = await w.preview(code)
    expect(preview.status).toBe(200)
    expect(preview.json).toEqual({
      blueprint: 'mail',
      version: '1.0.0',
      description: 'Sorts mail.',
      agentName: 'mail',
      runtime: 'process',
      secrets: [],
      bindings: [{ product: 'tasks', role: 'editor', scopes: ['tasks.write'] }],
    })
    const redeemed = await w.redeem(code)
    expect(redeemed.status).toBe(200)
    expect(redeemed.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    const { env, bundle, sha256, ...rest } = redeemed.json
    expect(rest).toEqual({ agent: { name: 'mail' }, blueprint: 'mail', version: '1.0.0' })
    expect(Buffer.from(bundle, 'base64').equals(Buffer.from(bytes))).toBe(true)
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(Object.keys(env).sort()).toEqual([
      'SVC_BINDING_TASKS_TOKEN',
      'SVC_BINDING_TASKS_URL',
      'SVC_BINDING_TASKS_WORKSPACE',
      'SVC_TOKEN',
    ])
    expect(w.service.live.heard).toContainEqual({ what: 'list', workspaceId: w.workspace.id })
    await report(w.service, env.SVC_TOKEN, { agent: { version: '1.0.0' } })
    expect((await w.redeem(code)).status).toBe(404)
  })

  test('unknown, expired, used, revoked and malformed codes get the same bytes from both calls (I14)', async () => {
    const w = await start()
    const expired = await w.issue({ agentName: 'late' })
    w.clock.pass(900)
    const used = await w.issue()
    const revoked = await w.issue({ agentName: 'revoked' })
    expect((await w.redeem(used)).status).toBe(200)
    await w.store.db.updateTable('install_code').set({ revoked_at: 1 }).where('agent_name', '=', 'revoked').execute()
    const replies = []
    for (const code of [unknown, expired, used, revoked, '', 'x', unknown.slice(0, 20), `${used} `, '\u0000']) {
      for (const call of [w.preview, w.redeem]) {
        const { status, headers, text } = await call(code)
        const { date: _, ...others } = headers
        replies.push(JSON.stringify({ status, headers: others, text }))
      }
      w.clock.pass(7)
    }
    expect(new Set(replies).size).toBe(1)
    expect(JSON.parse(replies[0] ?? '')).toMatchObject({
      status: 404,
      text: '{"error":{"code":"code_unknown","message":"There is no such install code."}}',
    })
  })

  test('unknown, expired and used codes cause the same database work, so that timing reveals nothing (I14)', async () => {
    const w = await start()
    const expired = await w.issue({ agentName: 'late' })
    w.clock.pass(900)
    const used = await w.issue()
    await w.redeem(used)
    const statements: string[] = []
    for (const name of ['all', 'get', 'run'] as const) {
      const execute = StatementSync.prototype[name]
      vi.spyOn(StatementSync.prototype, name).mockImplementation(function (this: StatementSync, ...parameters) {
        statements.push(this.sourceSQL)
        return Reflect.apply(execute, this, parameters)
      })
    }
    const done: Record<string, string[]> = {}
    for (const [name, code] of Object.entries({ unknown, expired, used })) {
      statements.length = 0
      w.clock.pass(4)
      expect((await w.redeem(code)).status).toBe(404)
      done[name] = [...statements]
    }
    expect(done.unknown?.length).toBeGreaterThan(0)
    expect(done.expired).toEqual(done.unknown)
    expect(done.used).toEqual(done.unknown)
  })

  test.each<[string, string | Uint8Array, Record<string, string>]>([
    ['text that is not JSON', 'code', {}],
    ['an object without a code', '{}', {}],
    ['text that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}],
    ['an encoded body', JSON.stringify({ code: unknown }), { 'Content-Encoding': 'gzip' }],
  ])('%s is 400 (D45)', async (_what, body, headers) => {
    const w = await start(false)
    for (const call of [w.preview, w.redeem]) {
      const reply = await call('', { body, headers })
      expect([reply.status, reply.json.error.code]).toEqual([400, 'body_invalid'])
    }
  })

  test('a body that is larger than any code needs is 413', async () => {
    const w = await start(false)
    const reply = await w.redeem('x'.repeat(5000))
    expect([reply.status, reply.json.error.code]).toEqual([413, 'body_too_large'])
  })

  test('every 403 and 409 names its case, and the code stays valid (4, rule 5)', async () => {
    const w = await start(bound)
    const { db } = w.store
    const code = await w.issue()
    const refusal = async () => {
      w.clock.pass(4)
      const { status, json } = await w.redeem(code)
      return [status, json.error.code]
    }
    await deactivate({ db, by: w.admin, now: w.clock.now() }, 'north', 'tasks')
    expect(await refusal()).toEqual([403, 'product_inactive'])
    await db.updateTable('member').set({ role: 'member' }).execute()
    expect(await refusal()).toEqual([403, 'issuer_not_allowed'])
    await deactivate({ db, by: w.admin, now: w.clock.now() }, 'north', 'svc')
    expect(await refusal()).toEqual([403, 'workspace_inactive'])
    await activate({ db, by: w.admin, now: w.clock.now() }, 'north', 'svc')
    await activate({ db, by: w.admin, now: w.clock.now() }, 'north', 'tasks')
    await db.updateTable('member').set({ role: 'admin' }).execute()
    await createAgent({ db, by: w.admin, now: w.clock.now() }, w.workspace, 'mail')
    expect(await refusal()).toEqual([409, 'agent_name_taken'])
    const bot = { workspace_id: w.workspace.id, product_id: 'tasks', created_at: 0 }
    await db
      .insertInto('bot')
      .values({ ...bot, id: 'b', name: 'mail', role: 'viewer' })
      .execute()
    expect(await refusal()).toEqual([409, 'bot_role_differs'])
    await db.updateTable('bot').set({ name: 'other' }).execute()
    for (let i = 0; i < 9; i++)
      await db
        .insertInto('bot')
        .values({ ...bot, id: `${i}`, name: `${i}`, role: 'r' })
        .execute()
    expect(await refusal()).toEqual([409, 'bots_too_many'])
    await db.deleteFrom('bot').execute()
    await db.updateTable('agent').set({ name: 'moved' }).where('name', '=', 'mail').execute()
    expect((await w.redeem(code)).status).toBe(200)
  })

  test('an address may make twenty calls a minute, both kinds together; the 21st is told when to come again (D16)', async () => {
    const w = await start()
    const code = await w.issue()
    for (let i = 0; i < 10; i++) {
      expect((await w.preview(code)).status).toBe(200)
      expect((await w.redeem(unknown)).status).toBe(404)
      w.clock.pass(1)
    }
    const refused = await w.redeem(code)
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers['retry-after']).toBe('50')
    expect((await w.preview(code, { body: 'x'.repeat(9000) })).status).toBe(429)
    w.clock.pass(50)
    expect((await w.redeem(code)).status).toBe(200)
  })

  test('fifty codes are redeemed by fifty machines behind one address; one twice, and one too late, are unknown', async () => {
    const w = await start()
    const issued = await issueCodes({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.workspace, {
      ...{ blueprint: 'mail', version: '1.0.0', count: 50 },
    })
    const codes = issued.ok ? issued.value.map(({ code }) => code) : []
    expect(codes.length).toBe(50)
    const [first = '', ...others] = codes
    const late = others.pop() ?? ''
    const calls = [first, first, ...others].flatMap((code) => [() => w.preview(code), () => w.redeem(code)])
    const statuses: number[] = []
    let minutes = 0
    for (let open = calls; open.length > 0; minutes++) {
      const answers = await Promise.all(open.map(async (ask) => ({ ask, status: (await ask()).status })))
      statuses.push(...answers.flatMap(({ status }) => (status === 429 ? [] : [status])))
      open = answers.flatMap(({ ask, status }) => (status === 429 ? [ask] : []))
      w.clock.pass(60)
    }
    expect(minutes).toBe(5)
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(1)
    const agents = await w.store.db.selectFrom('agent').select('name').where('blueprint', '=', 'mail').execute()
    expect(new Set(agents.map(({ name }) => name)).size).toBe(49)
    w.clock.pass(15 * 60)
    expect([(await w.redeem(late)).status, (await w.redeem(first)).status]).toEqual([404, 404])
  })

  test('behind a configured proxy the client is counted, by IPv4 address or IPv6 /64; otherwise the peer, whatever it sends', async () => {
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })
    const calls = async (w: Ready, address: (i: number) => string) => {
      const statuses = []
      for (let i = 0; i < 21; i++) statuses.push((await w.preview(unknown, from(address(i)))).status)
      return statuses.at(-1)
    }
    const plain = await start(false)
    expect(await calls(plain, (i) => `198.51.100.${i}`)).toBe(429)
    const proxied = await start(false, { config: { trustedProxies: ['127.0.0.1'] } })
    expect(await calls(proxied, (i) => `198.51.100.${i}`)).toBe(404)
    expect(await calls(proxied, (i) => `192.0.2.${i}:${50_000 + i}`)).toBe(404)
    expect(await calls(proxied, (i) => `192.0.2.99:${50_000 + i}`)).toBe(429)
    expect(await calls(proxied, (i) => `2001:db8:0:1::${i.toString(16)}`)).toBe(429)
    expect((await proxied.preview(unknown, from('2001:db8:0:2::1'))).status).toBe(404)
    expect(await calls(proxied, (i) => `198.51.100.${i}, 203.0.113.7`)).toBe(429)
  })

  test('a request for another address is 404 before it is counted', async () => {
    const w = await start(false)
    for (let i = 0; i < 25; i++) {
      expect((await w.redeem(unknown, { headers: { Host: 'elsewhere.example.org' } })).status).toBe(404)
    }
    const reply = await w.redeem(unknown)
    expect([reply.status, reply.json.error.code]).toEqual([404, 'code_unknown'])
  })
})

describe('the bundle route', () => {
  const get = (service: TestService, version: string, token?: string) =>
    new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      const headers = { Host: 'localhost:8787', ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
      const req = request({ port: service.port, path: `/api/agent/v1/bundle/${version}`, headers }, (res) => {
        const replyOf = (bytes: Buffer) => ({ status: res.statusCode ?? 0, headers: res.headers, bytes })
        bytesOf(res).then(replyOf).then(resolve, reject)
      })
      req.on('error', reject).end()
    })

  test('an agent of a blueprint gets every version of it, byte for byte, with its checksum', async () => {
    const w = await start(false)
    const first = Buffer.from(await w.upload())
    const second = Buffer.from(await w.upload({ version: '1.1.0-rc.1+build.7' }))
    const token = (await w.redeem(await w.issue())).json.env.SVC_TOKEN
    const reply = await get(w.service, '1.0.0', token)
    expect(reply.status).toBe(200)
    expect(reply.bytes.equals(first)).toBe(true)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(first.length),
      'x-svc-sha256': createHash('sha256').update(first).digest('hex'),
      'cache-control': 'no-store',
    })
    for (const spelling of ['1.1.0-rc.1+build.7', '1.1.0-rc.1%2Bbuild.7', '1.1.0-rc.1%2bbuild.7']) {
      expect((await get(w.service, spelling, token)).bytes.equals(second)).toBe(true)
    }
  })

  test('however many agents fetch a bundle at once, and however slowly they read, it is in memory once', async () => {
    const size = 6 * 1024 * 1024
    const w = await start({ files: { 'data.bin': randomBytes(size) } })
    const { SVC_TOKEN: token } = (await w.redeem(await w.issue())).json.env
    const calls = (['take', 'giveBack'] as const).map((name) => vi.spyOn(HeldBundles.prototype, name))
    const before = process.memoryUsage().arrayBuffers
    const slow = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = connect(w.service.port, '127.0.0.1')
        afterThisTest(() => socket.destroy())
        socket.write(
          `GET /api/agent/v1/bundle/1.0.0 HTTP/1.1\r\nHost: localhost:8787\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        )
        await once(socket, 'readable')
        return socket
      }),
    )
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * size)
    let read = 0
    slow[0]?.on('data', (chunk: Buffer) => {
      read += chunk.length
    })
    await eventually('one of them has read the bundle', () => expect(read).toBeGreaterThan(size))
    for (const socket of slow) socket.destroy()
    await get(w.service, '1.0.0', token)
    const taken = () => calls.map((spy) => spy.mock.calls.length)
    await eventually('every request gives it back, also one that hangs up', () => expect(taken()).toEqual([41, 41]))
    vi.restoreAllMocks()
  })

  test('401, 403 and 404 are as for every token route; other blueprints and unknown versions get the same 404', async () => {
    const w = await start()
    await w.upload({ name: 'other', version: '3.0.0' })
    const code = await w.issue()
    const token: string = (await w.redeem(code)).json.env.SVC_TOKEN
    const texts = []
    for (const version of ['3.0.0', '1.0.1', '1.0', '%', '..', '1.0.0%2F..', '', '1.0.0/', 'x'.repeat(400)]) {
      const { status, bytes } = await get(w.service, version, token)
      expect([version, status]).toEqual([version, 404])
      texts.push(bytes.toString())
    }
    expect(new Set(texts).size).toBe(1)
    expect(JSON.parse(texts[0] ?? '').error.code).toBe('version_unknown')
    // This agent was connected by hand, so it has no blueprint.
    expect((await get(w.service, '1.0.0', w.agent.token)).status).toBe(404)
    for (const bad of [undefined, 'x', code, `svc_agt_${'x'.repeat(43)}`]) {
      expect((await get(w.service, '1.0.0', bad)).status).toBe(401)
    }
    await deactivate({ db: w.store.db, by: w.admin, now: w.clock.now() }, 'north', 'svc')
    expect((await get(w.service, '1.0.0', token)).status).toBe(403)
    await activate({ db: w.store.db, by: w.admin, now: w.clock.now() }, 'north', 'svc')
    const { id } = await w.store.db
      .selectFrom('agent')
      .select('id')
      .where('name', '=', 'mail')
      .executeTakeFirstOrThrow()
    await rotateToken({ db: w.store.db, by: w.admin, now: w.clock.now() }, { id })
    expect((await get(w.service, '1.0.0', token)).status).toBe(401)
  })

  test('bot tokens and install codes open none of the agent routes (5, rule 2)', async () => {
    const w = await start(bound)
    const code = await w.issue()
    const { env } = (await w.redeem(code)).json
    for (const token of [env.SVC_BINDING_TASKS_TOKEN, code]) {
      expect((await send(w.service, { token, body: '{"protocol":1}' })).status).toBe(401)
    }
  })
})
