/** Tests passkeys over HTTP: adding, signing in, proofs, removal, and every answer that is not good. */
import { generateKeyPairSync } from 'node:crypto'
import type {
  Factors,
  Me,
  Members,
  NewTotp,
  PasskeyAnswer,
  PasskeyCreation,
  PasskeyRequest,
  SignInRecord,
} from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { type Browser, operator, password, type Service, serve, value } from '../../../testing/page/service.ts'
import {
  type Answering,
  addPasskey,
  passkeyRequest,
  type TestPasskey,
  testPasskey,
  usePasskey,
} from '../../../testing/passkeys.ts'
import { resetFactor } from '../../people/accounts/factors.ts'
import { maxPasskeys } from '../../people/factors/passkeys.ts'
import { disablePerson } from '../../people/workspaces/people.ts'
import { requireFactor } from '../../people/workspaces/requirement.ts'

type Refused = { error?: { code: string } }
const email = 'ann@example.org'
const api = (path: string) => `/api/web${path}`

async function begun(smtpUrl?: string) {
  const service = await serve({ hostname: 'localhost', ...(smtpUrl !== undefined && { smtpUrl }) })
  const workspace = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  return { service, workspace, ann }
}
async function withPasskey(counts = false) {
  const all = await begun()
  return { ...all, passkey: await addPasskey(all.ann, all.service.baseUrl, { counts }) }
}
const me = (browser: Browser) => browser.get<Me>(api('/me'))
const factorsIn = async (browser: Browser) => (await browser.get<Factors>(api('/factors'))).body
const prove = (browser: Browser, body: object) => browser.send<Refused>('POST', api('/proof'), body)
const removes = (browser: Browser, id: string) => browser.send<Refused>('DELETE', api(`/factors/passkeys/${id}`))
/** A request for the person's own account that needs a proof. */
const dangerous = (browser: Browser) => browser.send<Refused>('POST', api('/factors/passkeys/options'))
const rowsOf = async ({ store: { db } }: Service) => ({
  sessions: (await db.selectFrom('session').select('id').execute()).length,
  challenges: (await db.selectFrom('passkey_challenge').select('hash').execute()).length,
  passkeys: await db.selectFrom('passkey').selectAll().execute(),
})
const linesOf = ({ lines }: Service) => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

test('a passkey signs in without an address and a password, and counts as a factor that was shown', async () => {
  const { service, ann, passkey } = await withPasskey()
  expect(await factorsIn(ann)).toMatchObject({
    passkeys: [{ name: 'Laptop', usedAt: null, here: true }],
    totp: false,
    shown: true,
  })
  const browser = service.browser()
  expect((await usePasskey(browser, passkey)).status).toBe(200)
  expect((await me(browser)).body.email).toBe(email)
  expect(await factorsIn(browser)).toMatchObject({ shown: true, passkeys: [{ usedAt: expect.any(Number) }] })
  expect((await dangerous(browser)).status).toBe(200)
  const [last] = (await browser.get<SignInRecord[]>(api('/sign-ins'))).body
  expect(last).toMatchObject({ method: 'passkey' })
  expect(linesOf(service)).toContainEqual(
    expect.objectContaining({ msg: 'sign-in', outcome: 'ok', method: 'passkey', account: 'an…@example.org' }),
  )
  expect(browser.cookie).not.toMatch(/svc\.(passkey|half)/)
})

test('what a browser is asked for: a passkey of the device’s own, the person verified, no certificate', async () => {
  const { service, ann, passkey } = await withPasskey()
  const { body } = await ann.send<PasskeyCreation>('POST', api('/factors/passkeys/options'))
  expect(body).toMatchObject({
    rp: { id: 'localhost' },
    user: { name: email, displayName: 'Ann' },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ type: 'public-key', id: passkey.id }],
    timeout: 300_000,
  })
  const stranger = service.browser()
  const { challenge, ...request } = await passkeyRequest(stranger)
  expect(request).toEqual({ rpId: 'localhost', userVerification: 'required', allowCredentials: [], timeout: 300_000 })
  expect(challenge).not.toBe((await passkeyRequest(stranger)).challenge)
  expect((await rowsOf(service)).challenges, 'a request stores nothing').toBe(1)
})

describe('a passkey is refused like a wrong password, and leaves nothing behind,', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const refused: [string, Partial<Answering>][] = [
    ['of another origin', { origin: 'https://localhost.evil.example' }],
    ['of another port', { origin: 'http://localhost:1' }],
    ['of another host', { host: 'evil.example' }],
    ['without user verification', { verified: false }],
    ['with another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['in a frame of another site', { crossOrigin: true }],
    ['that was made instead of used', { type: 'webauthn.create' }],
    ['with the signature of another key', { key: other }],
    ['for another person', { userHandle: Buffer.from('somebody else').toString('base64url') }],
  ]
  async function wrongPassword(service: Service) {
    const given = { email: 'nobody@example.org', password: 'not the password' }
    return await service.browser().send('POST', '/api/auth/sign-in/email', given)
  }
  const expectNothing = async (service: Service, refusal: { status: number; text: string }, before: object) => {
    const wrong = await wrongPassword(service)
    expect([refusal.status, refusal.text]).toEqual([wrong.status, wrong.text])
    expect(await rowsOf(service)).toEqual(before)
    expect(service.errors).toEqual([])
  }

  test.each(refused)('%s', async (_, changed) => {
    const { service, passkey } = await withPasskey()
    const browser = service.browser()
    const before = await rowsOf(service)
    await expectNothing(service, await usePasskey(browser, passkey, changed), before)
    expect((await me(browser)).status).toBe(401)
    expect((await usePasskey(browser, passkey)).status, 'the passkey itself is good').toBe(200)
  })

  test.each<[string, (service: Service, passkey: TestPasskey) => Promise<{ status: number; text: string }>]>([
    [
      'that nobody added',
      (service, passkey) => {
        const unknown = testPasskey(service.baseUrl, { challenge: '', user: { id: '', name: '', displayName: '' } })
        return usePasskey(service.browser(), {
          ...unknown,
          uses: (...given) => ({ ...passkey.uses(...given), id: unknown.id, rawId: unknown.id }),
        })
      },
    ],
    [
      'without a challenge',
      (service, passkey) =>
        service.browser().send('POST', api('/passkey'), { response: passkey.uses({ challenge: 'x'.repeat(43) }) }),
    ],
    [
      'whose challenge is of another browser',
      async (service, passkey) => {
        const [one, two] = [service.browser(), service.browser()]
        await passkeyRequest(two)
        return two.send('POST', api('/passkey'), { response: passkey.uses(await passkeyRequest(one)) })
      },
    ],
    [
      'after five minutes',
      async (service, passkey) => {
        const browser = service.browser()
        const response = passkey.uses(await passkeyRequest(browser))
        service.pass(301)
        return browser.send('POST', api('/passkey'), { response })
      },
    ],
    [
      'with a challenge that somebody sealed themselves',
      (service, passkey) => {
        const cookie = { cookie: `svc.passkey=v1.${Buffer.alloc(100).toString('base64url')}` }
        const response = passkey.uses({ challenge: Buffer.alloc(32).toString('base64url') })
        return service.browser().send('POST', api('/passkey'), { response }, cookie)
      },
    ],
    [
      'that is bytes without a meaning',
      async (service, { id }) => {
        const browser = service.browser()
        await passkeyRequest(browser)
        const bytes = Buffer.alloc(1000, 7).toString('base64url')
        const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }
        return browser.send('POST', api('/passkey'), { response: { id, rawId: id, response } })
      },
    ],
  ])('%s', async (_, use) => {
    const { service, passkey } = await withPasskey()
    const before = await rowsOf(service)
    await expectNothing(service, await use(service, passkey), before)
  })

  test('that was used before, also with its cookie', async () => {
    const { service, passkey } = await withPasskey()
    const browser = service.browser()
    const response = passkey.uses(await passkeyRequest(browser))
    const { cookie } = browser
    expect((await browser.send('POST', api('/passkey'), { response })).status).toBe(200)
    const before = await rowsOf(service)
    const again = await service.browser().send('POST', api('/passkey'), { response }, { cookie })
    await expectNothing(service, again, before)
  })

  test('that was removed, also while its answer was on the way', async () => {
    const { service, ann, passkey } = await withPasskey()
    const browser = service.browser()
    const response = passkey.uses(await passkeyRequest(browser))
    expect((await removes(ann, passkey.stored)).status).toBe(200)
    const before = await rowsOf(service)
    await expectNothing(service, await browser.send('POST', api('/passkey'), { response }), before)
  })

  test('whose counter went back, which the log says', async () => {
    const { service, passkey } = await withPasskey(true)
    for (const counter of [1, 2]) {
      expect((await usePasskey(service.browser(), passkey)).status).toBe(200)
      expect(passkey.counter).toBe(counter)
    }
    const before = await rowsOf(service)
    for (const counter of [2, 1, 0])
      await expectNothing(service, await usePasskey(service.browser(), passkey, { counter }), before)
    const said = linesOf(service).filter(({ msg }) => String(msg).includes('counter went back'))
    expect(said).toHaveLength(3)
    expect(said[0]).toMatchObject({ level: 'warn', id: passkey.stored })
  })

  test('and a copy is not named because an answer was sent twice', async () => {
    const { service, passkey } = await withPasskey(true)
    const browser = service.browser()
    const response = passkey.uses(await passkeyRequest(browser))
    const { cookie } = browser
    const sent = () => service.browser().send('POST', api('/passkey'), { response }, { cookie })
    expect([(await sent()).status, (await sent()).status]).toEqual([200, 401])
    expect(service.lines.join()).not.toContain('counter went back')
  })

  test('and a counter that stays 0 is fine', async () => {
    const { service, passkey } = await withPasskey()
    for (let i = 0; i < 3; i++) expect((await usePasskey(service.browser(), passkey)).status).toBe(200)
  })
})

test.each<[string, unknown]>([
  ['nothing', {}],
  ['a text', { response: 'x' }],
  ['a number for the id', { response: { id: 7, rawId: 7, response: {} } }],
  ['an id of 2,000 characters', { response: { id: 'x'.repeat(2000), rawId: 'x', response: {} } }],
  ['a list', { response: { id: 'x', rawId: 'x', response: [] } }],
])('the answer of a browser that is %s gets a sentence', async (_, body) => {
  const { service, ann } = await begun()
  const stranger = service.browser()
  await passkeyRequest(stranger)
  await dangerous(ann)
  expect((await stranger.send('POST', api('/passkey'), body)).status).toBe(400)
  expect((await ann.send('POST', api('/factors/passkeys'), { name: 'x', ...(body as object) })).status).toBe(400)
  expect((await ann.send('POST', api('/proof'), { passkey: (body as { response?: unknown }).response })).status).toBe(
    400,
  )
})

test('a disabled account is told to the owner of its passkey, and to nobody else', async () => {
  const { service, passkey } = await withPasskey()
  value(await disablePerson({ people: service, by: operator, now: service.now() }, email))
  const browser = service.browser()
  const refused = await usePasskey(browser, passkey)
  expect([refused.status, refused.body.error?.code]).toEqual([403, 'account_disabled'])
  expect((await usePasskey(browser, passkey, { verified: false })).status).toBe(401)
  expect(await rowsOf(service)).toMatchObject({ sessions: 0, challenges: 1 })
  expect(linesOf(service)).toContainEqual(expect.objectContaining({ outcome: 'disabled', method: 'passkey' }))
})

test.skipIf(level === 'short')(
  'thirty passkeys that are not accepted are refused for a while, by address, and good ones do not count',
  async () => {
    const { service, passkey } = await withPasskey()
    for (let i = 0; i < 3; i++) expect((await usePasskey(service.browser(), passkey)).status).toBe(200)
    for (let i = 0; i < 30; i++)
      expect((await usePasskey(service.browser(), passkey, { verified: false })).status).toBe(401)
    const limited = await usePasskey(service.browser(), passkey)
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true])
    service.pass(301)
    expect((await usePasskey(service.browser(), passkey)).status).toBe(200)
  },
)

describe('adding a passkey', () => {
  const begin = async (browser: Browser) =>
    (await browser.send<PasskeyCreation>('POST', api('/factors/passkeys/options'))).body
  const adds = (browser: Browser, response: unknown, name = 'Laptop') =>
    browser.send<Refused>('POST', api('/factors/passkeys'), { name, response })

  test.each<[string, Partial<Answering>]>([
    ['another origin', { origin: 'https://localhost.evil.example' }],
    ['another host', { host: 'evil.example' }],
    ['no user verification', { verified: false }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['a frame of another site', { crossOrigin: true }],
    ['a use instead of a new one', { type: 'webauthn.get' }],
  ])('is refused with %s', async (_, changed) => {
    const { service, ann } = await begun()
    const options = await begin(ann)
    const refused = await adds(ann, testPasskey(service.baseUrl, options, changed).made)
    expect([refused.status, refused.body.error?.code]).toEqual([400, 'passkey_wrong'])
    expect(await rowsOf(service)).toMatchObject({ passkeys: [], challenges: 0 })
    expect((await adds(ann, testPasskey(service.baseUrl, options).made)).status).toBe(201)
  })

  test('is refused in another session, a second time, after five minutes, and for a passkey that is known', async () => {
    const { service, ann } = await begun()
    const second = await service.signedIn(email)
    const { made } = testPasskey(service.baseUrl, await begin(ann))
    const { cookie } = ann
    await begin(second)
    expect((await adds(second, made)).status).toBe(400)
    const [sealed] = /svc\.new-passkey\.\d+=[^;]+/.exec(cookie) ?? []
    const other = { cookie: second.cookie.replace(/svc\.new-passkey\.\d+=[^;]+/, sealed ?? '') }
    expect(other.cookie).toContain('svc.new-passkey')
    const stolen = await service.browser().send('POST', api('/factors/passkeys'), { name: 'x', response: made }, other)
    expect(stolen.status).toBe(400)
    expect((await adds(ann, made)).status).toBe(201)
    const again = await service
      .browser()
      .send('POST', api('/factors/passkeys'), { name: 'x', response: made }, { cookie })
    expect(again.status).toBe(400)
    const late = testPasskey(service.baseUrl, await begin(ann))
    service.pass(301)
    expect((await adds(ann, late.made)).status).toBe(400)
    expect((await factorsIn(ann)).passkeys).toHaveLength(1)
  })

  test('takes no notice of what the device says about itself, which may name an address to ask', async () => {
    const { service, ann } = await begun()
    // {fmt: "packed", attStmt: {alg: -7, sig: "", x5c: [""]}}
    const attestation = '63666d74667061636b65646761747453746d74a363616c67266373696740637835638140'
    const { made } = testPasskey(service.baseUrl, await begin(ann), { attestation })
    expect((await adds(ann, made)).status).toBe(201)
  })

  test('takes the certificates of a device that sends some in spite of that, up to 4,000 characters', async () => {
    const { service, ann } = await begun()
    const { made } = testPasskey(service.baseUrl, await begin(ann))
    const sent = (attestationObject: string) =>
      adds(ann, { ...made, response: { ...made.response, attestationObject } })
    expect((await sent('A'.repeat(4000))).body.error?.code).toBe('passkey_wrong')
    expect((await sent('A'.repeat(4001))).body.error?.code).toBe('body_invalid')
  })

  test.skipIf(level === 'short')('thirty new ones that are not accepted are refused for a while', async () => {
    const { service, ann } = await begun()
    const { made } = testPasskey(service.baseUrl, await begin(ann), { verified: false })
    for (let i = 0; i < 30; i++) expect((await adds(ann, made)).status).toBe(400)
    expect((await adds(ann, made)).status).toBe(429)
    service.pass(301)
    await addPasskey(ann, service.baseUrl)
  })

  test('needs a name of 1 to 60 characters', async () => {
    const { service, ann } = await begun()
    const { made } = testPasskey(service.baseUrl, await begin(ann))
    for (const name of ['', ' ', 'x'.repeat(61), 'a\nb']) expect((await adds(ann, made, name)).status).toBe(400)
    expect((await adds(ann, made, ' Laptop ')).status).toBe(201)
    expect((await factorsIn(ann)).passkeys).toMatchObject([{ name: 'Laptop' }])
  })

  test.skipIf(level === 'short')('is refused beyond 20 of a person', async () => {
    const { service, ann } = await begun()
    for (let i = 1; i < maxPasskeys; i++) await addPasskey(ann, service.baseUrl)
    const { made } = testPasskey(service.baseUrl, await begin(ann))
    await addPasskey(ann, service.baseUrl)
    const refusals = [await dangerous(ann), await adds(ann, made)]
    for (const { status, body } of refusals) expect([status, body.error?.code]).toEqual([409, 'passkeys_too_many'])
    const [first] = (await factorsIn(ann)).passkeys
    expect((await removes(ann, first?.id ?? '')).status).toBe(200)
    await addPasskey(ann, service.baseUrl)
  })

  test('ends the other sessions that showed no factor, and tells by mail and in the activity', async () => {
    const { service, ann } = await begun('smtp://localhost:1')
    const other = await service.signedIn(email)
    const first = await addPasskey(ann, service.baseUrl)
    expect([(await me(other)).status, (await me(ann)).status]).toEqual([401, 200])
    const third = await service.signedIn(email)
    const fourth = await service.signedIn(email)
    expect((await usePasskey(fourth, first)).status).toBe(200)
    const { stored } = await addPasskey(ann, service.baseUrl, { name: 'Phone' })
    expect([(await me(third)).status, (await me(fourth)).status], 'one showed no factor, and one did').toEqual([
      401, 200,
    ])
    const fifth = await service.signedIn(email)
    const { secret } = (await ann.send<NewTotp>('POST', api('/factors/totp'))).body
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
    expect((await ann.send('POST', api('/factors/totp/confirm'), { code })).status).toBe(200)
    expect([(await me(fifth)).status, (await me(fourth)).status], 'an app does the same').toEqual([401, 200])
    await removes(ann, stored)
    const topics = (await service.store.db.selectFrom('account_mail').select('topic').execute()).map(({ topic }) =>
      JSON.parse(topic),
    )
    for (const what of ['passkey_added', 'passkey_removed'])
      expect(topics).toContainEqual(expect.objectContaining({ what }))
    const lines = await service.store.db.selectFrom('audit').select(['action', 'details']).execute()
    expect(lines).toContainEqual({ action: 'person.passkey_added', details: '{"name":"Laptop","sessionsEnded":1}' })
    expect(lines).toContainEqual({ action: 'person.passkey_removed', details: '{"name":"Phone"}' })
  })
})

test('at an address without a name there are no passkeys, and the refusal says why', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  for (const [browser, path] of [
    [ann, '/factors/passkeys/options'],
    [service.browser(), '/passkey/options'],
  ] as const) {
    const { status, text } = await browser.send('POST', api(path))
    expect([status, text]).toEqual([409, expect.stringContaining('this one is an IP address')])
  }
})

test('after a change of the base address the passkeys from before count nowhere, and the password proves', async () => {
  const { service, ann } = await withPasskey()
  const isShown = async () => (await ann.get<Members>(api('/w/north/members'))).body.members[0]?.factor
  expect([(await prove(ann, { password })).body.error?.code, await isShown()]).toEqual(['code_wrong', true])
  await service.store.db.updateTable('passkey').set({ host: 'before.example.org' }).execute()
  service.pass(601)
  expect((await dangerous(ann)).body.error?.code).toBe('proof_required')
  expect([(await prove(ann, { password })).status, await isShown()]).toEqual([200, false])
  expect((await factorsIn(ann)).passkeys).toMatchObject([{ name: 'Laptop', here: false }])
  const other = await service.signedIn(email)
  await addPasskey(ann, service.baseUrl)
  expect([(await me(other)).status, await isShown()], 'it counts as the first factor').toEqual([401, true])
})

describe('tabs of one browser', () => {
  const challenges = async (browser: Browser, count: number) => {
    const all: PasskeyRequest[] = []
    for (let i = 0; i < count; i++) all.push(await passkeyRequest(browser))
    return all
  }
  const signs = (browser: Browser, response: PasskeyAnswer) =>
    browser.send<Refused>('POST', api('/passkey'), { response })

  test('sign in and prove beside each other, up to three', async () => {
    const { service, passkey } = await withPasskey()
    const browser = service.browser()
    const [, tab, ...others] = await challenges(browser, 4)
    if (!tab) throw new Error('There is no challenge.')
    expect((await signs(browser, passkey.uses(tab))).status).toBe(200)
    for (const other of others) expect((await signs(browser, passkey.uses(other))).status).toBe(200)
    const proofs = await challenges(browser, 3)
    for (const each of proofs) expect((await prove(browser, { passkey: passkey.uses(each) })).status).toBe(200)
    expect(browser.cookie).not.toMatch(/svc\.(passkey|proof)/)
    const [first] = await challenges(browser, 4)
    if (!first) throw new Error('There is no challenge.')
    expect((await prove(browser, { passkey: passkey.uses(first) })).body.error?.code).toBe('passkey_wrong')
  })

  test('sign in somebody whose other tab has a session already', async () => {
    const { service, ann, passkey } = await withPasskey()
    expect((await usePasskey(ann, passkey)).status).toBe(200)
    expect((await me(ann)).status).toBe(200)
    expect(linesOf(service).filter(({ outcome }) => outcome === 'wrong')).toEqual([])
  })

  test('prove only in the session that asked', async () => {
    const { service, ann, passkey } = await withPasskey()
    const other = await service.signedIn(email)
    const asked = await passkeyRequest(ann)
    const pairs = (browser: Browser) => browser.cookie.split('; ')
    const planted = [...pairs(other), ...pairs(ann).filter((pair) => /^svc\.(passkey|proof)/.test(pair))].join('; ')
    const body = { passkey: passkey.uses(asked) }
    const proof = await service.browser().send<Refused>('POST', api('/proof'), body, { cookie: planted })
    expect(proof.body.error?.code).toBe('passkey_wrong')
    expect((await prove(ann, body)).status).toBe(200)
  })
})

describe('a proof of somebody who has a passkey', () => {
  test('is given by the passkey, and not by the password or a sign-in without it', async () => {
    const { service, ann, passkey } = await withPasskey()
    const browser = service.browser()
    const signedIn = await browser.send('POST', '/api/auth/sign-in/email', { email, password })
    expect(signedIn.body, 'a password alone still signs in').toEqual({ ok: true })
    expect((await dangerous(browser)).body.error?.code).toBe('proof_required')
    expect((await prove(browser, { password })).body.error?.code).toBe('code_wrong')
    for (const changed of [{ verified: false }, { origin: 'https://evil.example' }]) {
      const response = passkey.uses(await passkeyRequest(browser), changed)
      expect((await prove(browser, { passkey: response })).body.error?.code).toBe('passkey_wrong')
    }
    expect((await dangerous(browser)).body.error?.code).toBe('proof_required')
    const response = passkey.uses(await passkeyRequest(browser))
    const { cookie } = browser
    expect((await prove(browser, { passkey: response })).status).toBe(200)
    expect((await dangerous(browser)).status).toBe(200)
    const again = await service.browser().send<Refused>('POST', api('/proof'), { passkey: response }, { cookie })
    expect(again.body.error?.code).toBe('passkey_wrong')
    service.pass(601)
    expect((await dangerous(ann)).body.error?.code).toBe('proof_required')
  })

  test('is not given by the passkey of somebody else', async () => {
    const { service, ann } = await withPasskey()
    const bob = await service.person('Bob', 'north', 'admin')
    const his = await addPasskey(bob, service.baseUrl)
    service.pass(601)
    const response = his.uses(await passkeyRequest(ann))
    expect((await prove(ann, { passkey: response })).body.error?.code).toBe('passkey_wrong')
    expect((await dangerous(ann)).body.error?.code).toBe('proof_required')
  })
})

describe('the mark of a shown factor', () => {
  test('goes from all other sessions with one of two passkeys, and from its own with the last', async () => {
    const { service, ann, passkey } = await withPasskey()
    const phone = await addPasskey(ann, service.baseUrl, { name: 'Phone' })
    const other = service.browser()
    await usePasskey(other, passkey)
    expect((await removes(ann, passkey.stored)).status).toBe(200)
    expect([(await factorsIn(ann)).shown, (await factorsIn(other)).shown]).toEqual([true, false])
    expect((await dangerous(other)).body.error?.code).toBe('proof_required')
    expect((await removes(ann, phone.stored)).status).toBe(200)
    expect(await factorsIn(ann)).toMatchObject({ shown: false, passkeys: [] })
  })

  test('gives an admin the rights back where a factor is required', async () => {
    const { service, workspace, passkey } = await withPasskey()
    const link = await service.signedIn(email)
    value(await requireFactor({ db: service.store.db, by: operator, now: service.now() }, workspace, service.now()))
    const rename = () => link.send<Refused>('PATCH', api('/w/north'), { name: 'South' })
    expect((await rename()).body.error?.code).toBe('factor_required')
    await prove(link, { passkey: passkey.uses(await passkeyRequest(link)) })
    expect((await rename()).status).toBe(200)
  })
})

test('nobody removes the passkey of somebody else, and a reset by the operator removes all', async () => {
  const { service, ann, passkey } = await withPasskey()
  const bob = await service.person('Bob', 'north', 'admin')
  expect((await removes(bob, passkey.stored)).status).toBe(404)
  const seen = async () =>
    (await bob.get<Members>(api('/w/north/members'))).body.members.map(({ name, factor }) => [name, factor])
  expect(await seen()).toEqual([
    ['Ann', true],
    ['Bob', false],
  ])
  value(await resetFactor({ people: service, by: operator, now: service.now() }, email))
  expect((await me(ann)).status).toBe(401)
  expect((await usePasskey(service.browser(), passkey)).status).toBe(401)
  expect(await seen()).toEqual([
    ['Ann', false],
    ['Bob', false],
  ])
})

test('the sweeper erases challenges that were used, a day after they ended', async () => {
  const { service, passkey } = await withPasskey()
  await usePasskey(service.browser(), passkey)
  expect((await rowsOf(service)).challenges).toBe(2)
  await service.sweeps()
  expect((await rowsOf(service)).challenges).toBe(2)
  service.pass(86_400 + 301)
  await service.sweeps()
  expect((await rowsOf(service)).challenges).toBe(0)
})
