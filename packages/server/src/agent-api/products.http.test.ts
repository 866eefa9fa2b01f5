import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { installing } from '../../testing/installing.ts'
import { type SendOptions, send, startService } from '../../testing/service.ts'
import { openTestSqlite } from '../../testing/stores.ts'
import { redeemInstall } from '../updates/installs/redeem.ts'

async function start() {
  const store = await openTestSqlite()
  afterThisTest(store.close)
  const w = await installing(store)
  const service = await startService(store, { now: w.clock.now })
  afterThisTest(service.stop)
  await w.upload({ bindings: ['tasks:editor:tasks.write'] })
  const redeemed = await redeemInstall(store.db, await w.issue(), w.clock.now())
  const token = redeemed.ok ? (redeemed.value.answer.env.SVC_BINDING_TASKS_TOKEN ?? '') : ''
  const form = 'application/x-www-form-urlencoded'
  const ask = (
    body: string,
    { id = 'tasks', secret = w.secret, type = form }: Record<string, string> = {},
    more: SendOptions = {},
  ) =>
    send(service, {
      path: '/api/product/v1/introspect',
      body,
      headers: {
        'Content-Type': type,
        Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      },
      ...more,
    })
  return { ...w, service, token, ask }
}

test('a product asks with a form and its secret, and learns whether the token is valid (RFC 7662)', async () => {
  const { ask, token } = await start()
  const good = await ask(`token=${token}&token_type_hint=access_token`)
  expect(good.status).toBe(200)
  expect(good.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  expect(good.json).toMatchObject({
    active: true,
    scope: 'tasks.write',
    iss: 'http://localhost:8787',
    product: 'tasks',
  })
  expect((await ask('token=whatever')).text).toBe('{"active":false}')
  expect((await ask(`token=${token}`, { type: 'application/x-www-form-urlencoded; charset=utf-8' })).json.active).toBe(
    true,
  )
})

test('without the right secret the answer is 401 before the body is read, and names the expected scheme', async () => {
  const { ask, token, service } = await start()
  for (const who of [{ secret: 'wrong' }, { id: 'wiki' }, { secret: '' }]) {
    const reply = await ask(`token=${token}`, who)
    expect([reply.status, reply.json.error.code]).toEqual([401, 'token_unknown'])
    expect(reply.headers['www-authenticate']).toMatch(/^Basic realm=/)
  }
  expect((await ask('x'.repeat(50_000), { secret: 'wrong' })).status).toBe(401)
  expect((await send(service, { path: '/api/product/v1/introspect', token, body: `token=${token}` })).status).toBe(401)
})

test('a body that is not a form with one token is 400, one that is too large 413', async () => {
  const { ask, token } = await start()
  for (const body of ['', 'token=', 'other=1', `token=${token}&token=${token}`]) {
    expect((await ask(body)).json.error.code).toBe('body_invalid')
  }
  expect((await ask(JSON.stringify({ token }), { type: 'application/json' })).status).toBe(400)
  expect((await ask(`token=${'x'.repeat(9000)}`)).status).toBe(413)
})

test('wrong secrets are counted per address and do not slow down the product itself', async () => {
  const { ask, token, clock } = await start()
  for (let i = 0; i < 60; i++) expect((await ask(`token=${token}`, { secret: 'wrong' })).status).toBe(401)
  const refused = await ask(`token=${token}`, { secret: 'wrong' })
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
  expect((await ask(`token=${token}`)).json.active).toBe(true)
  clock.pass(60)
  expect((await ask(`token=${token}`, { secret: 'wrong' })).status).toBe(401)
})
