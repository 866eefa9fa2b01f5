import {
  type Factors,
  factors,
  type Me,
  type Members,
  type NewTotp,
  type RecoveryCodes,
  type SignInAnswer,
} from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { type Browser, operator, password, type Service, serve, value } from '../../../testing/page/service.ts'
import { resetFactor } from '../../people/accounts/factors.ts'
import { createLink } from '../../people/accounts/links.ts'

const email = 'ann@example.org'
const api = (path: string) => `/api/web${path}`

/** The code that the app of this secret shows at a time of the service. */
const codeAt = (secret: string, at: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })

/** Adds an authenticator app in this browser, and returns its secret and the recovery codes. */
async function enrol(service: Service, browser: Browser) {
  const { body: begun } = await browser.send<NewTotp>('POST', api('/factors/totp'))
  const code = codeAt(begun.secret, service.now())
  const added = await browser.send<RecoveryCodes>('POST', api('/factors/totp/confirm'), { code })
  expect([added.status, added.body.recovery.length]).toEqual([200, 10])
  service.pass(60)
  return { secret: begun.secret, recovery: added.body.recovery, code: () => codeAt(begun.secret, service.now()) }
}
async function begun() {
  const service = await serve()
  const workspace = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  return { service, workspace, ann, app: await enrol(service, ann) }
}
const signIn = (browser: Browser, secret = password) =>
  browser.send<SignInAnswer>('POST', '/api/auth/sign-in/email', { email, password: secret })
const second = (browser: Browser, given: object) => browser.send('POST', api('/second-factor'), given)
const me = (browser: Browser) => browser.get<Me>(api('/me'))
const link = async (service: Service, purpose: 'forgot') =>
  value(await createLink({ db: service.store.db, by: operator, now: service.now() }, purpose, email))

test('a password alone signs nobody in who has a second factor, and the next code does, once', async () => {
  const { service, app } = await begun()
  const browser = service.browser()
  expect((await signIn(browser)).body).toEqual({ ok: false, second: ['totp', 'recovery'] })
  expect((await me(browser)).status).toBe(401)
  expect(await service.store.db.selectFrom('session').select('id').execute()).toHaveLength(1)
  const code = app.code()
  expect((await second(browser, { code })).status).toBe(200)
  expect((await me(browser)).body.email).toBe(email)
  const other = service.browser()
  await signIn(other)
  expect((await second(other, { code })).status).toBe(401)
  expect((await second(browser, { code })).status).toBe(401)
})

test('a recovery code works once, is told by mail and in the activity, and the codes left are counted', async () => {
  const service = await serve({ smtpUrl: 'smtp://localhost:1' })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const app = await enrol(service, ann)
  const browser = service.browser()
  await signIn(browser)
  const recovery = app.recovery[3] ?? ''
  expect((await second(browser, { recovery: recovery.toUpperCase() })).status).toBe(200)
  expect((await browser.get<Factors>(api('/factors'))).body).toMatchObject({ totp: true, recoveryLeft: 9, shown: true })
  await signIn(service.browser())
  expect((await second(browser, { recovery })).status).toBe(401)
  const topics = (await service.store.db.selectFrom('account_mail').select('topic').execute()).map(({ topic }) =>
    JSON.parse(topic),
  )
  expect(topics).toContainEqual(expect.objectContaining({ what: 'recovery_used' }))
  expect(topics).toContainEqual(expect.objectContaining({ what: 'factor_added' }))
  const lines = await service.store.db.selectFrom('audit').select(['action', 'details']).execute()
  expect(lines).toContainEqual({ action: 'person.recovery_code_used', details: '{"left":9}' })
  const said = JSON.stringify([service.lines, lines, topics])
  for (const hidden of [app.secret, ...app.recovery]) expect(said).not.toContain(hidden)
})

describe('the first half of a sign-in', () => {
  test.each<[string, (service: Service, ann: Browser) => Promise<unknown>]>([
    [
      'a changed password',
      (_, ann) => ann.send('POST', api('/password'), { current: password, next: 'a new one 1234' }),
    ],
    ['removed factors', (_, ann) => ann.send('DELETE', api('/factors/totp'))],
    [
      'a reset by the operator',
      async (service) =>
        value(await resetFactor({ people: service, by: operator, now: service.now() }, ' Ann@Example.org ')),
    ],
    ['ten minutes', async (service) => service.pass(600)],
    [
      'another way to a new password',
      async (service) => {
        const token = await link(service, 'forgot')
        return service.browser().send('POST', api('/claim'), { token, name: 'Ann', password: 'another good password' })
      },
    ],
  ])('ends with %s', async (_, ends) => {
    const { service, ann, app } = await begun()
    const browser = service.browser()
    await signIn(browser)
    await ends(service, ann)
    expect((await second(browser, { code: app.code() })).status).toBe(401)
    expect((await second(browser, { recovery: app.recovery[0] })).status).toBe(401)
    expect((await me(browser)).status).toBe(401)
  })

  test('is in one browser only, and a wrong code looks as if there was none', async () => {
    const { service, app } = await begun()
    const [browser, stranger] = [service.browser(), service.browser()]
    await signIn(browser)
    const [wrong, none] = [await second(browser, { code: '000000' }), await second(stranger, { code: app.code() })]
    expect([wrong.status, wrong.text]).toEqual([none.status, none.text])
    expect((await second(browser, { code: app.code() })).status).toBe(200)
  })

  test('is refused after ten wrong codes, also with a right one, until 15 minutes have passed', async () => {
    const { service, app } = await begun()
    const browser = service.browser()
    await signIn(browser)
    for (let i = 0; i < 10; i++) expect((await second(browser, { code: '000000' })).status).toBe(401)
    const locked = await second(browser, { code: app.code() })
    expect([locked.status, Number(locked.headers.get('retry-after')) > 800]).toEqual([429, true])
    expect((await signIn(service.browser())).body.ok).toBe(false)
    service.pass(901)
    await signIn(browser)
    expect((await second(browser, { code: app.code() })).status).toBe(200)
  })

  test.each([{}, { code: '1', recovery: '1' }, { code: 7 }, { code: 'x'.repeat(101) }])(
    'takes exactly one code: %o is refused',
    async (body) => {
      const { service } = await begun()
      expect((await second(service.browser(), body)).status).toBe(400)
    },
  )
})

test('an account has one authenticator app, a wrong code does not add it, and a removed one can be added again', async () => {
  const { service, ann, app } = await begun()
  expect((await ann.send('POST', api('/factors/totp'))).status).toBe(409)
  expect((await ann.send('POST', api('/factors/totp/confirm'), { code: app.code() })).status).toBe(409)
  expect((await ann.send('DELETE', api('/factors/totp'))).status).toBe(200)
  expect((await ann.send('DELETE', api('/factors/totp'))).status).toBe(404)
  expect((await ann.send('POST', api('/factors/recovery'))).status).toBe(404)
  await ann.send('POST', api('/factors/totp'))
  expect((await ann.send('POST', api('/factors/totp/confirm'), { code: '000000' })).status).toBe(400)
  expect((await ann.get<Factors>(api('/factors'))).body).toMatchObject({ totp: false, recoveryLeft: 0 })
  await enrol(service, ann)
})

test('an admin sees which members have a second factor, and a member does not', async () => {
  const { service, ann } = await begun()
  const bob = await service.person('Bob', 'north', 'member')
  const seenBy = async (browser: Browser) =>
    (await browser.get<Members>(api('/w/north/members'))).body.members.map(({ name, factor }) => [name, factor])
  expect(await seenBy(ann)).toEqual([
    ['Ann', true],
    ['Bob', false],
  ])
  await bob.send('POST', api('/factors/totp'))
  expect((await seenBy(ann))[1], 'it is not confirmed').toEqual(['Bob', false])
  expect(await seenBy(bob)).toEqual([
    ['Ann', null],
    ['Bob', null],
  ])
})

test('no cookie of the first half is left after the sign-in, and over TLS it is bound to the host', async () => {
  const { service, app } = await begun()
  const browser = service.browser()
  const asked = await signIn(browser)
  expect(asked.headers.getSetCookie().join()).toMatch(
    /^svc\.half\.\d+=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  await second(browser, { code: app.code() })
  expect(browser.cookie).not.toContain('svc.half')
  expect(factors.secondFactor.right).toBe('anybody')
})
