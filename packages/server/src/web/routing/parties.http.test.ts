/** Tests that a limit holds for the browser, session or address that reached it, and what still works for the owner. */
import type { NewTotp, RecoveryCodes, SignInRecord } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { type Browser, password, type Service, serve } from '../../../testing/page/service.ts'

const email = 'ann@example.org'
const api = (path: string) => `/api/web${path}`
const signIn = (browser: Browser) => browser.send('POST', '/api/auth/sign-in/email', { email, password })
const second = (browser: Browser, given: object) => browser.send('POST', api('/second-factor'), given)
const prove = (browser: Browser, given: object) => browser.send('POST', api('/proof'), given)
type Try = () => Promise<{ status: number }>
/** Tries ten times, and returns the try, which is refused from then on. */
const tenTimes = async (work: Try): Promise<Try> => {
  for (let i = 0; i < 10; i++) expect((await work()).status).not.toBe(429)
  expect((await work()).status).toBe(429)
  return work
}

interface Setup {
  service: Service
  /** A browser of Ann that has signed in before, with an open session. */
  ann: Browser
  code: () => string
  recovery: string[]
}

async function newSetup(): Promise<Setup> {
  const service = await serve({ smtpUrl: 'smtp://127.0.0.1:1' })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { secret } = (await ann.send<NewTotp>('POST', api('/factors/totp'))).body
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
  const { recovery } = (await ann.send<RecoveryCodes>('POST', api('/factors/totp/confirm'), { code: code() })).body
  service.pass(60)
  return { service, ann, code, recovery }
}
const wrong = { code: '000000' }

/** Those who give ten wrong codes. */
const others: Record<string, (setup: Setup) => Promise<Try>> = {
  'somebody who knows the password': async ({ service }) => {
    const browser = service.browser()
    await signIn(browser)
    return tenTimes(() => second(browser, wrong))
  },
  'a session of the operator': async ({ service }) => {
    const browser = await service.signedIn(email)
    return tenTimes(() => prove(browser, wrong))
  },
}

/** The ways of the owner that still work. The last one ends the sign-in of somebody else that is half done. */
const owners: Record<string, (setup: Setup) => Promise<number>> = {
  'a proof in an open session': async ({ ann, code }) => (await prove(ann, { code: code() })).status,
  'a code in a browser that signed in before': async ({ ann, code }) => {
    await ann.send('POST', '/api/auth/sign-out')
    await signIn(ann)
    return (await second(ann, { code: code() })).status
  },
  'a recovery code in a new browser': async ({ service, recovery }) => {
    const browser = service.browser()
    await signIn(browser)
    return (await second(browser, { recovery: recovery[0] ?? '' })).status
  },
}

test('the last sign-ins name what was shown', async () => {
  const setup = await newSetup()
  for (const use of ['a code in a browser that signed in before', 'a recovery code in a new browser'])
    expect(await owners[use]?.(setup)).toBe(200)
  const { body } = await setup.ann.get<SignInRecord[]>(api('/sign-ins'))
  expect(body.map(({ method, second: shown }) => [method, shown])).toEqual([
    ['password', 'recovery'],
    ['password', 'code'],
    ['link', undefined],
  ])
})

const mails = async ({ store }: Service) =>
  (await store.db.selectFrom('account_mail').select('topic').execute()).filter(({ topic }) =>
    topic.includes('wrong_codes'),
  ).length

describe.each(Object.entries(others))('after ten wrong codes of %s', (_, fail) => {
  test(`the owner may use ${Object.keys(owners).join(', ')}`, async () => {
    const setup = await newSetup()
    const failing = await fail(setup)
    for (const [way, use] of Object.entries(owners)) {
      expect([way, (await failing()).status, await use(setup)]).toEqual([way, 429, 200])
      setup.service.pass(60) // a code is good once
    }
  })

  test('the owner gets one mail in a day', async () => {
    const setup = await newSetup()
    await fail(setup)
    setup.service.pass(16 * 60)
    await fail(setup)
    expect(await mails(setup.service)).toBe(1)
    setup.service.pass(24 * 3600)
    await fail(setup)
    expect(await mails(setup.service)).toBe(2)
  })
})

test('a stolen session cannot pass as many browsers', async () => {
  const { service } = await newSetup()
  const stolen = await service.signedIn(email)
  const [session = ''] = stolen.cookie.split('; ').filter((cookie) => cookie.startsWith('svc.session'))
  const ids = new Set<string>()
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${service.origin}${api('/me')}`, { headers: { cookie: session } })
    const [mark = ''] = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith('svc.device'))
    ids.add(mark.split('=')[1]?.split('.')[1] ?? '')
  }
  expect(ids.size).toBe(1)
})

test('eight wrong passwords of one session leave the password and the proof of the others', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const stolen = await service.signedIn(email)
  for (let i = 0; i < 8; i++) expect((await prove(stolen, { password: 'wrong' })).status).toBe(400)
  expect((await prove(stolen, { password })).status).toBe(429)
  expect((await prove(ann, { password })).status).toBe(200)
  const changed = await ann.send('POST', api('/password'), { current: password, next: 'another good password' })
  expect(changed.status).toBe(200)
})

describe('where one address has asked too often', () => {
  const asks: Record<string, { until: (browser: Browser) => Promise<{ status: number }>; times: number }> = {
    'for links that do not exist': { until: (browser) => browser.get(api('/claim?token=x')), times: 60 },
    'for a new password': {
      until: (browser) => browser.send('POST', api('/forgot'), { email: 'x@example.org' }),
      times: 10,
    },
  }
  test.each(Object.entries(asks))('%s, a browser that signed in before may ask', async (_, { until, times }) => {
    const service = await serve()
    await service.workspace('north')
    const ann = await service.person('Ann', 'north', 'member')
    await ann.send('POST', '/api/auth/sign-out')
    const stranger = service.browser()
    const { status } = await until(stranger)
    for (let i = 1; i < times; i += 50)
      await Promise.all(Array.from({ length: Math.min(50, times - i) }, () => until(stranger)))
    expect((await until(stranger)).status).toBe(429)
    expect((await until(ann)).status).toBe(status)
    expect((await signIn(stranger)).status).toBe(200)
  })
})

test('a code of a phone whose clock is wrong says by how much, for people and in the log, and is not accepted', async () => {
  const { service, ann } = await newSetup()
  await ann.send('POST', '/api/auth/sign-out')
  const clock = (service_: Service, secret: string, minutes: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service_.now() + minutes * 60_000 })
  const bob = await service.person('Bob', 'north', 'member')
  const { secret } = (await bob.send<NewTotp>('POST', api('/factors/totp'))).body
  const confirms = (code: string) =>
    bob.send<{ error?: { message: string } }>('POST', api('/factors/totp/confirm'), { code })
  expect((await confirms(clock(service, secret, 4))).body.error?.message).toContain('about 4 minutes ahead of')
  expect((await confirms(clock(service, secret, 0))).status).toBe(200)
  service.pass(1200)
  const browser = service.browser()
  await browser.send('POST', '/api/auth/sign-in/email', { email: 'bob@example.org', password })
  const late = await browser.send<{ error: { code: string; message: string } }>('POST', api('/second-factor'), {
    code: clock(service, secret, -3),
  })
  expect(late.body.error.message).toContain('about 3 minutes behind')
  expect(late.body.error.code).toBe('second_factor_failed')
  expect(service.lines.filter((line) => line.includes('clocks differ'))).toHaveLength(2)
  const pasted = `\u200e${clock(service, secret, 0).replace(/(...)/, '$1\u2060-')}\u200b`
  expect((await browser.send('POST', api('/second-factor'), { code: pasted })).status).toBe(200)
})
