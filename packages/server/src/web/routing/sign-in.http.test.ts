import { readFileSync } from 'node:fs'
import type { RefusalBody, SignInRecord } from '@svc/api'
import { expect, test, vi } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { password, type Service, serve } from '../../../testing/page/service.ts'
import { openAuth } from '../../people/accounts/auth.ts'
import { hashQueue } from '../../people/accounts/hashing.ts'
import { logRequests } from '../../platform/http/requests.ts'

/**
 * A wrong password that is too long. It is refused before anything is hashed, so that many tries take the test no time.
 */
const wrong = 'w'.repeat(201)

/** Serves a workspace behind a proxy that supplies the client's address; Ann has an account. */
async function newSetup() {
  const service = await serve({ proxies: ['127.0.0.1'], passwordForm: 'scrypt' })
  await service.workspace('north')
  const known = await service.person('Ann', 'north', 'admin')
  const attempt = (from: string, secret: string, browser = service.browser(), email = 'ann@example.org') =>
    browser.send('POST', '/api/auth/sign-in/email', { email, password: secret }, { 'x-forwarded-for': from })
  return { service, known, attempt }
}

test('strangers at many addresses cannot lock the owner out', async () => {
  const { attempt } = await newSetup()
  for (let i = 0; i < 100; i++) expect((await attempt(`198.51.100.${i % 13}`, wrong)).status).toBe(401)
  expect((await attempt('198.51.100.1', password)).status).toBe(429)
  expect((await attempt('192.0.2.1', password)).status).toBe(200)
})

test('a browser that signed in before can sign in from an address that is refused', async () => {
  const { attempt, known } = await newSetup()
  await known.send('POST', '/api/auth/sign-out', {})
  for (let i = 0; i < 8; i++) await attempt('198.51.100.1', wrong)
  expect((await attempt('198.51.100.1', password)).status).toBe(429)
  expect((await attempt('198.51.100.1', password, known)).status).toBe(200)
})

test('a browser that was signed in before device cookies existed gets one when it opens the page', async () => {
  const { known, service } = await newSetup()
  const session = known.cookie.split('; ').find((cookie) => cookie.startsWith('svc.session')) ?? ''
  const opened = await service.browser().get('/api/web/me', { cookie: session })
  expect(opened.headers.getSetCookie()).toEqual([expect.stringMatching(/^svc\.device\./)])
  expect((await known.get('/api/web/me')).headers.getSetCookie()).toEqual([])
})

test('an e-mail address of more than 254 characters is refused before it is counted', async () => {
  const { attempt } = await newSetup()
  const long = `${'a'.repeat(244)}@example.org`
  for (let i = 0; i < 40; i++) {
    const refused = await attempt('198.51.100.1', wrong, undefined, long)
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'email_invalid' } } })
  }
  expect((await attempt('198.51.100.1', password)).status).toBe(200)
})

test('valid links are not counted, so a whole office can open its invitations from one address', async () => {
  const { known, service } = await newSetup()
  const invited = await known.send<{ url: string }>('POST', '/api/web/w/north/invitations', {
    email: 'bob@example.org',
    role: 'member',
  })
  const path = `/api/web/invitations/${invited.body.url.split('/').at(-1)}`
  for (let i = 0; i < 70; i++) expect((await service.browser().get(path)).status).toBe(200)
  for (let i = 0; i < 60; i++) expect((await service.browser().get(`${path}x`)).status).toBe(404)
  expect((await service.browser().get(`${path}x`)).status).toBe(429)
})

test('a sign-in that finds no room in the queue gets 429 with Retry-After, and does not count as failed', async () => {
  const { attempt, known, service } = await newSetup()
  const ends: (() => void)[] = []
  // The test fills the queue for hashing passwords: two turns run and 32 wait. Each turn has a different network
  // address, so that none is refused in favour of another.
  const held = Array.from({ length: 34 }, (_, i) =>
    hashQueue.run({ known: false, caller: `flood ${i}` }, () => new Promise<void>((resolve) => ends.push(resolve))),
  )
  const asked = vi.spyOn((await service.auth.$context).password, 'verify')
  const refused = await attempt('192.0.2.1', password)
  expect(asked, 'no password is checked').not.toHaveBeenCalled()
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } })
  expect(refused.headers.get('retry-after')).toBe('5')
  // The browser has signed in to the account before, so its turn waits in the queue for known browsers, which has room.
  const waiting = attempt('192.0.2.1', password, known)
  await eventually('33 wait for a hash', () => expect(hashQueue.waiting).toBeGreaterThanOrEqual(33), { everyMs: 1 })
  let ended = false
  const draining = Promise.all(held).then(() => {
    ended = true
  })
  const end = () => {
    ends.shift()?.()
    expect(ended).toBe(true)
  }
  await eventually('all hashes have ended', end, { everyMs: 1 })
  await draining
  expect((await waiting).status).toBe(200)
  for (let i = 0; i < 8; i++) expect((await attempt('192.0.2.1', wrong)).status).toBe(401)
  expect(service.errors).toEqual([])
})

test('a sign-in succeeds while the same password is being stored in another form', async () => {
  const { attempt, service } = await newSetup()
  const context = await service.auth.$context
  const verify = context.password.verify
  vi.spyOn(context.password, 'verify').mockImplementationOnce(async (asked) => {
    const right = await verify(asked)
    await service.store.db
      .updateTable('account')
      .set({ password: await context.password.hash(password) })
      .execute()
    return right
  })
  expect((await attempt('192.0.2.1', password)).status).toBe(200)
})

/** The lines of a log that are about sign-ins. */
const signInLines = (lines: string[]) => lines.filter((line) => line.endsWith('"msg":"sign-in"}'))

test('every try is a line of the log, with the address, the shortened account and the outcome, and no secret (I29)', async () => {
  const { attempt, service } = await newSetup()
  service.lines.length = 0
  await attempt('198.51.100.1', 'not the right one')
  await attempt('2001:db8::7', 'not the right one', undefined, 'nobody@example.org')
  for (let i = 0; i < 8; i++) await attempt('198.51.100.1', wrong)
  await attempt('192.0.2.1', password)
  await service.browser().send('POST', '/api/web/link', { token: 'guessed' }, { 'x-forwarded-for': '203.0.113.5' })
  const logged = signInLines(service.lines).map((line) => {
    const { address, account, outcome, method } = JSON.parse(line)
    return `${address} ${account} ${method} ${outcome}`
  })
  expect(logged).toEqual([
    '198.51.100.1 an…@example.org password wrong',
    '2001:db8::7 no…@example.org password wrong',
    ...Array(7).fill('198.51.100.1 an…@example.org password wrong'),
    '198.51.100.1 an…@example.org password limited',
    '192.0.2.1 an…@example.org password ok',
    '203.0.113.5 … link wrong',
  ])
  expect(service.lines.join('\n')).not.toMatch(/not the right one|correct horse|guessed|svc\.device=[^*]/)
})

test('a try is one line with the id of its answer, and no other line is about the same request', async () => {
  const { attempt, service } = await newSetup()
  logRequests(service.server, service.log)
  service.lines.length = 0
  const refused = await attempt('198.51.100.1', wrong)
  await attempt('198.51.100.1', wrong)
  expect(service.lines).toHaveLength(2)
  expect(JSON.parse(service.lines[0] ?? '')).toMatchObject({
    msg: 'sign-in',
    request: refused.headers.get('x-request-id'),
  })
})

test('the documented filter for fail2ban finds failed tries and their addresses', async () => {
  const { attempt, service } = await newSetup()
  await attempt('198.51.100.1', wrong)
  await attempt('2001:db8::7', wrong, undefined, '","address":"192.0.2.99","account":"x","outcome":"wrong"')
  await attempt('192.0.2.1', password)
  const page = readFileSync(new URL('../../../../../docs/operate.md', import.meta.url), 'utf8')
  const [, filter = ''] = /^failregex = (.+)$/m.exec(page) ?? []
  const shape = new RegExp(filter.replace('<HOST>', '(?<host>[0-9a-f.:]+)'))
  const found = service.lines.map((line) => shape.exec(line)?.groups?.host).filter(Boolean)
  expect(found).toEqual(['198.51.100.1', '2001:db8::7'])
})

test("the account page shows the person's own last sign-ins", async () => {
  const { attempt, known, service } = await newSetup()
  await attempt('192.0.2.1', password)
  await attempt('198.51.100.1', wrong)
  const bob = await service.person('Bob', 'north', 'member')
  expect((await known.get<SignInRecord[]>('/api/web/sign-ins')).body).toEqual([
    { at: expect.any(Number), method: 'password', address: '192.0.2.1', userAgent: 'node' },
    { at: expect.any(Number), method: 'link', address: '127.0.0.1', userAgent: 'node' },
  ])
  expect((await bob.get<SignInRecord[]>('/api/web/sign-ins')).body).toHaveLength(1)
  expect((await service.browser().get('/api/web/sign-ins')).status).toBe(401)
})

const storedHash = async ({ store }: Service) =>
  (await store.db.selectFrom('account').select('password').executeTakeFirstOrThrow()).password ?? ''

test('a password stays in the form that nodes of the previous version can read', async () => {
  const { attempt, service } = await newSetup()
  await attempt('192.0.2.1', password)
  expect(await storedHash(service)).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
})

test('with argon2id enabled, a password is stored again at sign-in, and works afterwards', async () => {
  const service = await serve({ passwordForm: 'argon2id' })
  await service.workspace('north')
  await service.person('Ann', 'north', 'admin')
  const { hash } = (await openAuth(service.store, { baseUrl: 'http://localhost', secret: 'x'.repeat(32) }).$context)
    .password
  await service.store.db
    .updateTable('account')
    .set({ password: await hash(password) })
    .execute()
  const attempt = (secret: string) =>
    service.browser().send('POST', '/api/auth/sign-in/email', { email: 'ann@example.org', password: secret })
  expect((await attempt('not the right one')).status).toBe(401)
  expect(await storedHash(service)).not.toContain('argon2id')
  expect((await attempt(password)).status).toBe(200)
  expect(await storedHash(service)).toMatch(/^\$argon2id\$/)
  expect((await attempt(password)).status).toBe(200)
  expect((await attempt('not the right one')).status).toBe(401)
})

test.each([
  ['one’s own address', 'ann@example.org!', /your own e-mail address, name or workspace/],
  ['one’s own workspace', 'northnorth', /your own e-mail address, name or workspace/],
])('a new password that is %s is refused with the reason', async (_what, next, why) => {
  const { known } = await newSetup()
  const refused = await known.send<RefusalBody>('POST', '/api/web/password', { current: password, next })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'password_invalid' } } })
  expect(refused.body.error.message).toMatch(why)
})
