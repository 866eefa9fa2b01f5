/** Tests second factors over HTTP on both engines: what several requests and several nodes do at the same moment. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Me, NewTotp, SignInAnswer } from '@svc/api'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { type Browser, operator, password, serve, value } from '../../../testing/page/service.ts'
import { bothEngines, newPostgresDatabase, openTestPostgres } from '../../../testing/stores.ts'
import { requireFactor } from '../../people/workspaces/requirement.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { createLive } from '../live/hub.ts'

const email = 'ann@example.org'
async function begun(postgres: Store) {
  const service = await serve({ postgres })
  const workspace = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  return { service, workspace, ann }
}
const begin = (browser: Browser) =>
  browser.send<NewTotp & { error?: { code: string } }>('POST', '/api/web/factors/totp')
const secondOf = (browser: Browser, body: object) => browser.send('POST', '/api/web/second-factor', body)

describe.each(bothEngines)('on %s', (_engine, open) => {
  async function enrolled() {
    const all = await begun(await open())
    const { secret } = (await begin(all.ann)).body
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: all.service.now() })
    expect((await all.ann.send('POST', '/api/web/factors/totp/confirm', { code: code() })).status).toBe(200)
    all.service.pass(60)
    return { ...all, code }
  }
  async function halfway({ service }: Awaited<ReturnType<typeof enrolled>>) {
    const browser = service.browser()
    const asked = await browser.send<SignInAnswer>('POST', '/api/auth/sign-in/email', { email, password })
    expect(asked.body.ok).toBe(false)
    return browser
  }

  test('one code in two browsers at the same moment signs one of them in', async () => {
    const all = await enrolled()
    const browsers = [await halfway(all), await halfway(all)]
    const code = all.code()
    const answers = await Promise.all(browsers.map((browser) => secondOf(browser, { code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expect((await all.ann.get<unknown[]>('/api/web/sessions')).body).toHaveLength(2)
  })

  test('a first half that is completed twice at the same moment makes one session', async () => {
    const all = await enrolled()
    const browser = await halfway(all)
    const codes = [{ code: all.code() }, { code: all.code() }]
    const answers = await Promise.all(codes.map((code) => secondOf(browser, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await all.ann.get<unknown[]>('/api/web/sessions')).body).toHaveLength(2)
  })

  test('no session is left of a sign-in that is completed while the password changes', async () => {
    const all = await enrolled()
    const browser = await halfway(all)
    const next = { current: password, next: 'another good password' }
    const [changed] = await Promise.all([
      all.ann.send('POST', '/api/web/password', next),
      secondOf(browser, { code: all.code() }),
    ])
    expect(changed.status).toBe(200)
    expect((await all.ann.get<unknown[]>('/api/web/sessions')).body).toHaveLength(1)
    expect((await browser.get('/api/web/me')).status).toBe(401)
  })

  test('a requirement is judged by the session: a code gives an admin the rights back', async () => {
    const all = await enrolled()
    const { service, workspace, code } = all
    const link = await service.signedIn(email)
    const rename = () => link.send<{ error?: { code: string } }>('PATCH', '/api/web/w/north', { name: 'South' })
    const at = service.now() + 60_000
    value(await requireFactor({ db: service.store.db, by: operator, now: service.now() }, workspace, at))
    expect((await rename()).status).toBe(200)
    service.pass(60)
    expect((await rename()).body.error?.code).toBe('factor_required')
    expect((await link.get('/api/web/w/north')).body).toMatchObject({
      role: 'member',
      factor: { from: at, missing: true },
    })
    expect((await link.get<Me>('/api/web/me')).body.workspaces).toMatchObject([{ role: 'member' }])
    expect((await link.send('POST', '/api/web/proof', { code: code() })).status).toBe(200)
    expect((await rename()).status).toBe(200)
    expect((await link.get('/api/web/w/north')).body).toMatchObject({ role: 'admin', factor: { missing: false } })
  })
})

test('one code on two nodes at the same moment signs one browser in (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const { service: first, ann } = await begun(openPostgres(url))
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-second-node-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const { secret } = (await begin(ann)).body
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: first.now() })
  expect((await ann.send('POST', '/api/web/factors/totp/confirm', { code: code() })).status).toBe(200)
  cpSync(join(first.dir, 'secret'), join(dataDir, 'secret'))
  const second = await serve({ postgres: openPostgres(url), dataDir })
  for (let round = 0; round < 5; round++) {
    for (const node of [first, second]) node.pass(60)
    const browsers = [first.browser(), second.browser(), first.browser(), second.browser()]
    for (const browser of browsers) await browser.send('POST', '/api/auth/sign-in/email', { email, password })
    const given = { code: code() }
    const answers = await Promise.all(browsers.map((browser) => secondOf(browser, given)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  }
  expect((await ann.get<unknown[]>('/api/web/sessions')).body).toHaveLength(6)
})

describe('while a node of an earlier version is heard on PostgreSQL', () => {
  const say = ({ db }: Store, message: object) =>
    sql`select pg_notify('svc_live', ${JSON.stringify({ kind: 'l', workspace: 'x', agents: [], ...message })})`.execute(
      db,
    )

  test('a first factor is refused, and one after two minutes without it is not', async () => {
    const { service, ann } = await begun(await openTestPostgres())
    expect((await begin(ann)).status).toBe(200)
    await eventually('the earlier version is heard', async () => {
      await say(service.store, { node: 'a node of the version before' })
      const { status, body } = await begin(ann)
      expect([status, body.error?.code]).toEqual([409, 'nodes_mixed'])
    })
    await sql`insert into factor_node (node, at) values ('a node of the version before', 1)`.execute(service.store.db)
    expect((await begin(ann)).status).toBe(200)
  })

  test('another node of this version, or a command, refuses nothing', async () => {
    const { service, ann } = await begun(await openTestPostgres())
    const { store, log, now } = service
    const other = createLive({ store, log, now })
    await say(store, { node: 'a command', command: true })
    await eventually('the other node is heard', async () => {
      other.listChanged('x')
      expect(service.live.nodesHeard?.()).toHaveLength(1)
      expect((await begin(ann)).status).toBe(200)
    })
    await other.close()
  })
})
