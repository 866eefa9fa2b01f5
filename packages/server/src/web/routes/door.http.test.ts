import type { EntryInfo, Me } from '@svc/api'
import { serviceTimeHeader } from '@svc/api/clock'
import { expect, test } from 'vitest'
import { type Browser, serve } from '../../../testing/page/service.ts'

const path = '/api/web/door'
const closed: EntryInfo = { me: null, first: false, mail: false, oidc: null, passkeys: false, version: null }
const opened = (browser: Browser, from = '192.0.2.1') => browser.get<EntryInfo>(path, { 'x-forwarded-for': from })

test('without a session, the door says whether anybody has an account, and nothing about the service', async () => {
  const service = await serve({ smtpUrl: 'smtp://mail.example.org' })
  expect(await opened(service.browser())).toMatchObject({ status: 200, body: { ...closed, first: true, mail: true } })
  await service.workspace('north')
  await service.person('Ann', 'north', 'admin')
  const { status, body, headers } = await opened(service.browser())
  expect([status, body]).toEqual([200, { ...closed, mail: true }])
  expect(headers.get('cache-control')).toBe('no-store')
})

test.each([
  [{}, false],
  [{ hostname: 'localhost' }, true],
  [{ https: true }, true],
] as const)('the door says whether browsers allow passkeys at its address: %j', async (given, passkeys) => {
  const service = await serve(given)
  expect((await opened(service.browser())).body).toEqual({ ...closed, first: true, passkeys })
})

test('every answer of the page’s routes names the service’s time, also a refusal', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  service.pass(3 * 3600)
  for (const [who, address, status] of [
    [service.browser(), path, 200],
    [service.browser(), '/api/web/me', 401],
    [service.browser(), '/api/web/nothing', 404],
    [ann, '/api/web/w/north/fleet', 200],
    [ann, '/api/web/w/north/agents/none', 404],
  ] as const) {
    const answer = await who.get(address)
    const ahead = Number(answer.headers.get(serviceTimeHeader)) - Date.now()
    expect([address, answer.status, Math.round(ahead / 600_000)]).toEqual([address, status, 18])
  }
})

test('with a session, the door says who is signed in, as /me does', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const me = (await ann.get<Me>('/api/web/me')).body
  expect((await opened(ann)).body).toEqual({ ...closed, me, version: '1.2.3' })
})

test('a session that has expired, was ended or is invented gets the answer of a stranger', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { cookie } = ann
  await ann.send('POST', '/api/auth/sign-out', {})
  const bob = await service.person('Bob', 'north', 'member')
  const cookies = [cookie, 'svc.session=invented', bob.cookie.replace(/svc.session[.0-9]*=/, '$&x')]
  for (const each of cookies)
    expect(await service.browser().get(path, { cookie: each })).toMatchObject({ status: 200, body: closed })
  service.pass(100 * 24 * 3600)
  expect(await opened(bob)).toMatchObject({ status: 200, body: closed })
})

test('a browser that was signed in before device cookies existed gets one at the door', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const session = ann.cookie.split('; ').find((cookie) => cookie.startsWith('svc.session')) ?? ''
  const { headers } = await service.browser().get(path, { cookie: session })
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^svc\.device\./)])
})

test('strangers have a limit for each address, which never locks out a person who is signed in', async () => {
  const service = await serve({ proxies: ['127.0.0.1'] })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const stranger = service.browser()
  const many = Array.from({ length: 100 })
  for (let i = 0; i < 30; i++) await Promise.all(many.map(() => opened(stranger)))
  const refused = await opened(stranger)
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  for (let i = 0; i < 400; i++) expect((await opened(ann)).status).toBe(200)
  expect((await opened(stranger, '192.0.2.2')).status).toBe(200)
  service.pass(301)
  expect((await opened(stranger)).status).toBe(200)
})
