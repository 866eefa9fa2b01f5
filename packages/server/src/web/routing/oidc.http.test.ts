/** Tests of signing in through a provider (OpenID Connect), with a real one on this machine. */
import { createHash } from 'node:crypto'
import type { EntryInfo, Factors, Me, ProviderAddress, SignInRecord } from '@svc/api'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import {
  followCallback,
  fromElsewhere,
  type ProviderFails,
  providerBrowser,
  signInThrough,
  startProvider,
} from '../../../testing/oidc.ts'
import {
  type Answer,
  type Browser,
  operator,
  password,
  type ServeOptions,
  serve,
  value,
} from '../../../testing/page/service.ts'
import { addPasskey, usePasskey } from '../../../testing/passkeys.ts'
import { confirmEmail } from '../../people/accounts/confirmed.ts'
import { insertLink } from '../../people/accounts/links.ts'
import { findPerson } from '../../people/accounts/store.ts'
import type { AccountNotice, MailTopic } from '../../people/mails/queue.ts'
import { composeMail } from '../../people/mails/sending/compose.ts'
import { insertOperatorInvitation } from '../../people/workspaces/operator-invitations.ts'
import { disablePerson } from '../../people/workspaces/people.ts'
import type { OidcSettings } from '../../platform/base.ts'
import { sealKeyOf } from '../../platform/seal.ts'

interface Refused {
  error?: { code: string }
}
const api = (path: string) => `/api/web${path}`
const me = async (browser: Browser) => (await browser.get<Me>(api('/me'))).body
const factors = async (browser: Browser) => (await browser.get<Factors>(api('/factors'))).body
const leadsTo = ({ headers }: Answer) => headers.get('location')

/** A service with a provider, and with an admin who is not at the provider. */
async function newSetup(given: ServeOptions = {}, settings: Partial<OidcSettings> = {}) {
  const provider = await startProvider(settings)
  const service = await serve({ hostname: 'localhost', oidc: provider.settings, ...given })
  provider.knows(service.baseUrl)
  await service.workspace('north')
  const kim = await service.person('Kim', 'north', 'admin')
  return { provider, service, kim }
}
type Setup = Awaited<ReturnType<typeof newSetup>>

/** Makes Ann's account, whose address is confirmed, as after a link of the operator that she used. */
async function withAnn({ service }: Setup, confirmed = true): Promise<Browser> {
  const ann = await service.person('Ann', 'north', 'member')
  const { db } = service.store
  if (confirmed) await confirmEmail(db, (await findPerson(db, 'ann@example.org'))?.id ?? '', service.now())
  return ann
}

/** Begins to sign in, and returns the address of the provider. */
const begins = async (browser: Browser, query = ''): Promise<string> =>
  leadsTo(await browser.get(api(`/oidc/start${query}`))) ?? ''

/** Goes to the provider from the account of this browser, and comes back. */
async function connects({ provider }: Setup, browser: Browser, who: string): Promise<string | null> {
  const { body } = await browser.send<ProviderAddress>('POST', api('/factors/oidc'))
  return leadsTo(await followCallback(browser, await providerBrowser(provider).goes(body.location, who)))
}

/** The rows that a sign-in may leave. */
async function rowsOf({ service }: Pick<Setup, 'service'>): Promise<Record<string, number>> {
  const tables = ['user', 'account', 'session', 'session_proof', 'oidc_connection', 'oidc_callback'] as const
  const counts = tables.map(async (table) => [
    table,
    (await service.store.db.selectFrom(table).selectAll().execute()).length,
  ])
  return Object.fromEntries(await Promise.all(counts))
}

test('the door names the provider, and only with one there is a way to it', async () => {
  const { service } = await newSetup()
  expect((await service.browser().get<EntryInfo>(api('/door'))).body.oidc).toEqual({ name: 'Example', only: false })
  const other = await serve()
  expect((await other.browser().get<EntryInfo>(api('/door'))).body.oidc).toBeNull()
  for (const path of ['/oidc/start', '/oidc/callback']) expect((await other.browser().get(api(path))).status).toBe(404)
})

test('somebody whom the provider knows gets an account, and signs in to it whatever address they have later', async () => {
  const setup = await newSetup({ smtpUrl: 'smtp://127.0.0.1:1' })
  const { provider, service } = setup
  const first = service.browser()
  const made = await signInThrough(provider, first, 'ann', '?next=/invitations/x')
  expect([made.status, leadsTo(made)]).toEqual([302, '/invitations/x'])
  expect(await me(first)).toMatchObject({ email: 'ann@example.org', name: 'Ann', workspaces: [] })
  expect(await factors(first)).toMatchObject({ oidc: { name: 'Example' }, password: false, shown: true })
  provider.people.ann = { email: 'other@example.org', email_verified: false, name: 'Other' }
  const second = service.browser()
  expect(leadsTo(await signInThrough(provider, second, 'ann'))).toBe('/')
  expect(await me(second)).toMatchObject({ email: 'ann@example.org', name: 'Ann' })
  const records = (await second.get<SignInRecord[]>(api('/sign-ins'))).body
  expect(records.map(({ method }) => method)).toEqual(['oidc'])
  const said = service.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'sign-in')
  expect(said.map(({ account, method, outcome }) => [account, method, outcome])).toContainEqual([
    'an…@example.org',
    'oidc',
    'ok',
  ])
  expect(await rowsOf(setup)).toMatchObject({ user: 2, oidc_connection: 1, oidc_callback: 2 })
})

test('claims that are only in the answer about the person are asked for', async () => {
  const { provider, service } = await newSetup()
  provider.fails = { claims: ({ email: _, email_verified: __, ...rest }) => rest }
  const browser = service.browser()
  await signInThrough(provider, browser, 'ann')
  expect((await me(browser)).email).toBe('ann@example.org')
  expect(provider.calls).toContain('/me')
})

test('the callback is a navigation from another site, and only that; no other route takes one', async () => {
  const { provider, service } = await newSetup()
  const browser = service.browser()
  const { pathname, search } = await providerBrowser(provider).goes(await begins(browser), 'ann')
  const frames = await browser.get(pathname + search, { ...fromElsewhere, 'sec-fetch-dest': 'iframe' })
  expect(frames.status).toBe(403)
  for (const path of ['/door', '/oidc/start', '/oidc/callback/x'])
    expect([path, (await browser.get(api(path), fromElsewhere)).status]).toEqual([path, 403])
  expect((await browser.send('POST', pathname + search, {}, fromElsewhere)).status).toBe(403)
  expect((await browser.get(pathname + search, fromElsewhere)).status).toBe(302)
  expect((await me(browser)).email).toBe('ann@example.org')
})

test.each([
  ['/w/north?q=a#b', '/w/north?q=a#b'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/..//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['w/north', '/'],
  ['/api/web/oidc/start', '/'],
  [`/${'x'.repeat(500)}`, '/'],
])('a sign-in with next=%s leads to %s', async (next, address) => {
  const { provider, service } = await newSetup()
  const query = `?${new URLSearchParams({ next })}`
  expect(leadsTo(await signInThrough(provider, service.browser(), 'ann', query))).toBe(address)
})

test('three tabs sign in beside each other', async () => {
  const { provider, service } = await newSetup()
  const browser = service.browser()
  const addresses = [await begins(browser), await begins(browser), await begins(browser)]
  for (const address of addresses) {
    const back = await followCallback(browser, await providerBrowser(provider).goes(address, 'ann'))
    expect(leadsTo(back)).toBe('/')
  }
})

describe('an account with the same address', () => {
  test('is connected if it is confirmed and has no factor, and its person is told', async () => {
    const setup = await newSetup({ smtpUrl: 'smtp://127.0.0.1:1' })
    const ann = await withAnn(setup)
    const browser = setup.service.browser()
    setup.provider.people.ann = { email: 'ANN@Example.ORG', email_verified: true }
    await signInThrough(setup.provider, browser, 'ann')
    expect(await me(browser)).toMatchObject({ email: 'ann@example.org', workspaces: [{ slug: 'north' }] })
    expect(await factors(browser)).toMatchObject({
      oidc: { name: 'Example', account: 'ann@example.org' },
      password: true,
    })
    expect((await ann.get(api('/me'))).status, 'the session of a password ends').toBe(401)
    const { db } = setup.service.store
    const mails = await db.selectFrom('account_mail').select('topic').execute()
    expect(mails.map(({ topic }) => JSON.parse(topic).what)).toContain('oidc_connected')
    const lines = await db
      .selectFrom('audit')
      .select(['action', 'details'])
      .where('action', '=', 'person.oidc_connected')
      .execute()
    expect(lines.map(({ details }) => JSON.parse(details))).toEqual([
      { provider: 'Example', account: 'ann@example.org', sessionsEnded: 1 },
    ])
  })

  test.each([
    ['that is not confirmed', async (setup: Setup) => void (await withAnn(setup, false))],
    [
      'that has a passkey',
      async (setup: Setup) => void (await addPasskey(await withAnn(setup), setup.service.baseUrl)),
    ],
    [
      'of somebody else at the provider',
      async (setup: Setup) => {
        setup.provider.people.eve = { email: 'ann@example.org', email_verified: true }
        await connects(setup, await withAnn(setup), 'eve')
      },
    ],
  ])('%s is not connected', async (_, prepare) => {
    const setup = await newSetup()
    await prepare(setup)
    const before = await rowsOf(setup)
    const browser = setup.service.browser()
    expect(leadsTo(await signInThrough(setup.provider, browser, 'ann', '?next=/w/north'))).toBe(
      '/sign-in?oidc=exists&next=%2Fw%2Fnorth',
    )
    expect(await rowsOf(setup)).toEqual(before)
  })
})

test.each([
  ['of another domain', { email: 'a@sub.example.org', email_verified: true }, 'domain'],
  ['behind an allowed domain', { email: 'a@example.org.evil', email_verified: true }, 'domain'],
  ['that is not verified', { email: 'a@example.org', email_verified: false }, 'unverified'],
  ['that is said to be verified in words', { email: 'a@example.org', email_verified: 'true' }, 'unverified'],
  ['that is missing', { email_verified: true }, 'unverified'],
  ['of another type', { email: { a: 1 }, email_verified: true }, 'unverified'],
  ["of somebody else's account, in capitals", { email: 'KIM@EXAMPLE.ORG', email_verified: true }, 'exists'],
])('somebody with an address %s gets no account', async (_, claims, why) => {
  const setup = await newSetup()
  const before = await rowsOf(setup)
  setup.provider.people.ann = claims
  const browser = setup.service.browser()
  const answer = await signInThrough(setup.provider, browser, 'ann')
  expect([answer.status, leadsTo(answer)]).toEqual([302, `/sign-in?oidc=${why}`])
  expect((await browser.get(api('/me'))).status).toBe(401)
  expect(await rowsOf(setup)).toEqual(before)
})

test.each([
  ['of another type', { a: 1 }, 'ann'],
  ['that is too long', 'x'.repeat(100_000), 'x'.repeat(100)],
  ['with a character that nobody sees', 'An\u202en', 'ann'],
  ['with zero', 'An\0n', 'ann'],
])('a name %s stops nobody', async (_, name, kept) => {
  const { provider, service } = await newSetup()
  provider.people.ann = { email: 'ann@example.org', email_verified: true, name }
  const browser = service.browser()
  await signInThrough(provider, browser, 'ann')
  expect((await me(browser)).name).toBe(kept)
})

const hour = 3600
const later = (claims: Record<string, unknown>, seconds: number) =>
  Object.fromEntries(['iat', 'exp'].map((name) => [name, Number(claims[name]) + seconds]))
const wrong: [says: string, fails: ProviderFails][] = [
  ['another nonce', { claims: (claims) => ({ ...claims, nonce: 'x' }) }],
  ['no nonce', { claims: ({ nonce: _, ...claims }) => claims }],
  ['another audience', { claims: (claims) => ({ ...claims, aud: 'other' }) }],
  ['several audiences', { claims: (claims) => ({ ...claims, aud: ['svc', 'other'] }) }],
  ['another issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
  ['a time that is over', { claims: (claims) => ({ ...claims, ...later(claims, -hour) }) }],
  ['no time', { claims: ({ exp: _, ...claims }) => claims }],
  ['no subject', { claims: ({ sub: _, ...claims }) => claims }],
  ['a subject of another type', { claims: (claims) => ({ ...claims, sub: { a: 1 } }) }],
  ['a subject that is too long', { claims: (claims) => ({ ...claims, sub: 'x'.repeat(300) }) }],
  ['a subject with zero', { claims: (claims) => ({ ...claims, sub: 'a\0' }) }],
  ['claims of 1 MB', { claims: (claims) => ({ ...claims, name: 'x'.repeat(1_100_000) }) }],
  ['a signature that was changed', { signature: 'changed' }],
  ['the signature of another key', { signature: 'other key' }],
  ['no signature', { signature: 'none' }],
]

test.each(wrong)('a token with %s signs nobody in', async (_, fails) => {
  const setup = await newSetup()
  const { provider, service } = setup
  const before = await rowsOf(setup)
  provider.fails = fails
  const browser = service.browser()
  const answer = await signInThrough(provider, browser, 'ann')
  expect([answer.status, leadsTo(answer)]).toEqual([302, '/sign-in?oidc=failed'])
  expect((await browser.get(api('/me'))).status).toBe(401)
  expect(await rowsOf(setup)).toEqual(before)
  expect(service.errors).toEqual([])
})

/** Callbacks that are not good, each made of the one that is. */
const badCallbacks: Record<string, (setup: Setup, way: URL, browser: Browser) => Promise<[Browser, URL]>> = {
  'with a forged state': async (_, way, browser) => [browser, changed(way, 'state', 'x')],
  'without a state': async (_, way, browser) => [browser, changed(way, 'state')],
  'with two states': async (_, way, browser) => [browser, new URL(`${way}&state=${way.searchParams.get('state')}`)],
  'with a forged code': async (_, way, browser) => [browser, changed(way, 'code', 'x')],
  'with the issuer of somebody else': async (_, way, browser) => [browser, changed(way, 'iss', 'https://evil.example')],
  'of another browser': async ({ service }, way) => [service.browser(), way],
  'of another browser that has a visit': async ({ service }, way) => {
    const other = service.browser()
    await begins(other)
    return [other, way]
  },
  'after ten minutes': async ({ service }, way, browser) => {
    service.pass(601)
    return [browser, way]
  },
  'that was cancelled': async (_, way, browser) => [browser, changed(changed(way, 'code'), 'error', 'access_denied')],
}
function changed(way: URL, name: string, text?: string): URL {
  const url = new URL(way)
  if (text === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, text)
  return url
}

test.each(Object.entries(badCallbacks))('a callback %s signs nobody in', async (_, prepare) => {
  const setup = await newSetup()
  const before = await rowsOf(setup)
  const browser = setup.service.browser()
  const way = await providerBrowser(setup.provider).goes(await begins(browser), 'ann')
  const [who, address] = await prepare(setup, way, browser)
  const answer = await followCallback(who, address)
  expect([answer.status, leadsTo(answer)]).toEqual([302, '/sign-in?oidc=failed'])
  expect((await who.get(api('/me'))).status).toBe(401)
  expect(await rowsOf(setup)).toEqual(before)
  expect(setup.service.errors).toEqual([])
})

test('a callback is good once, even if the provider would give the same answer again', async () => {
  const setup = await newSetup()
  const { provider, service } = setup
  provider.fails = { repeats: true }
  const browser = service.browser()
  const address = await begins(browser)
  const { cookie } = browser
  const { pathname, search } = await providerBrowser(provider).goes(address, 'ann')
  expect(leadsTo(await followCallback(browser, new URL(service.origin + pathname + search)))).toBe('/')
  const again = await service.browser().get(pathname + search, { ...fromElsewhere, cookie })
  expect(leadsTo(again)).toBe('/sign-in?oidc=failed')
  expect(again.headers.getSetCookie().join()).not.toContain('session')
  expect(await rowsOf(setup)).toMatchObject({ oidc_callback: 1 })
})

describe('a provider that fails', () => {
  test.each(['html', 'large', 'elsewhere', 'error'] as const)(
    'with %s gives one sentence, and is asked again after ten seconds',
    async (calls) => {
      const setup = await newSetup()
      const { provider, service, kim } = setup
      provider.fails = { calls }
      const browser = service.browser()
      expect(await begins(browser)).toBe('/sign-in?oidc=failed')
      expect(await begins(browser)).toBe('/sign-in?oidc=failed')
      expect(provider.calls).toHaveLength(1)
      const connecting = await kim.send<Refused>('POST', api('/factors/oidc'))
      expect([connecting.status, connecting.body.error?.code]).toEqual([409, 'oidc_failed'])
      provider.fails = {}
      expect(await begins(browser)).toBe('/sign-in?oidc=failed')
      service.pass(11)
      expect(leadsTo(await signInThrough(provider, browser, 'ann'))).toBe('/')
      expect(service.errors).toEqual([])
    },
  )

  test.each(['html', 'large', 'elsewhere', 'error'] as const)(
    'with %s on the callback gives one sentence',
    async (calls) => {
      const setup = await newSetup()
      const before = await rowsOf(setup)
      const { provider, service } = setup
      const browser = service.browser()
      const way = await providerBrowser(provider).goes(await begins(browser), 'ann')
      provider.fails = { calls }
      expect(leadsTo(await followCallback(browser, way))).toBe('/sign-in?oidc=failed')
      expect(provider.calls).not.toContain('/elsewhere')
      expect(await rowsOf(setup)).toEqual(before)
      expect(service.errors).toEqual([])
    },
  )

  test.each([
    ['?next=/w/north', '/sign-in?oidc=failed&next=%2Fw%2Fnorth'],
    ['?next=//evil.example', '/sign-in?oidc=failed'],
  ])('at the beginning of a sign-in with %s leads to %s', async (query, address) => {
    const { provider, service } = await newSetup()
    provider.fails = { calls: 'error' }
    expect(await begins(service.browser(), query)).toBe(address)
  })

  test('at a closed port stops no start', async () => {
    const provider = await startProvider()
    await provider.close()
    const service = await serve({ hostname: 'localhost', oidc: provider.settings })
    expect(await begins(service.browser())).toBe('/sign-in?oidc=failed')
    expect(service.errors).toEqual([])
  })

  test('says nothing of tokens and codes in the log, nor in the source of a page', async () => {
    const setup = await newSetup()
    const { provider, service } = setup
    provider.fails = { signature: 'changed' }
    const browser = service.browser()
    const way = await providerBrowser(provider).goes(await begins(browser), 'ann')
    await followCallback(browser, way)
    provider.fails = {}
    await signInThrough(provider, browser, 'ann')
    const opens = { accept: 'text/html' }
    const pages = await Promise.all(
      ['/sign-in?oidc=failed', '/account?oidc=connected', '/'].map((path) => browser.get(path, opens)),
    )
    for (const { headers } of pages) expect(headers.get('content-type')).toContain('text/html')
    const all = [...service.lines, ...pages.map(({ text }) => text)].join('\n')
    expect(all).toContain('a sign-in through the provider failed')
    for (const secret of [way.searchParams.get('code'), way.searchParams.get('state'), provider.settings.clientSecret])
      expect(all).not.toContain(secret)
    expect(all).not.toMatch(/eyJ|id_token|access_token/)
  })
})

test('after 30 callbacks that failed, the provider is not called for this address', async () => {
  const setup = await newSetup()
  const { provider, service } = setup
  const browser = service.browser()
  await begins(browser)
  for (let i = 0; i < 31; i++) {
    const state = new URL(await begins(browser)).searchParams.get('state')
    const way = new URL(`${service.origin}/api/web/oidc/callback?code=x&state=${state}&iss=${provider.issuer}`)
    expect(leadsTo(await followCallback(browser, way))).toBe(`/sign-in?oidc=${i < 30 ? 'failed' : 'busy'}`)
  }
  expect(provider.calls.filter((path) => path.startsWith('/token'))).toHaveLength(30)
  service.pass(301)
  expect(leadsTo(await signInThrough(provider, browser, 'ann'))).toBe('/')
})

test.skipIf(level === 'short')(
  'forty people behind one address come back at the same moment, and all are signed in',
  async () => {
    const { provider, service } = await newSetup()
    const ways = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const browser = service.browser()
        return { browser, way: await providerBrowser(provider).goes(await begins(browser), 'ann') }
      }),
    )
    provider.fails = { delay: 200 }
    const ends = await Promise.all(ways.map(({ browser, way }) => followCallback(browser, way)))
    expect(ends.map(leadsTo)).toEqual(Array(40).fill('/'))
  },
)

/** The lines of the log about sign-ins through the provider that failed, without their time. */
const failures = ({ service }: Pick<Setup, 'service'>) =>
  service.lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'a sign-in through the provider failed')
    .map(({ time: _, msg: __, ...line }) => line)

const reasons: [why: string, purpose: string | undefined, fails: (setup: Setup) => Promise<unknown>][] = [
  ['no_visit', undefined, ({ service }) => service.browser().get(api('/oidc/callback?state=x&code=y'))],
  [
    'domain',
    'sign-in',
    async ({ provider, service }) => {
      provider.people.ann = { email: 'ann@evil.org', email_verified: true }
      await signInThrough(provider, service.browser(), 'ann')
    },
  ],
  [
    'unverified',
    'sign-in',
    async ({ provider, service }) => {
      provider.people.ann = { email: 'ann@example.org' }
      await signInThrough(provider, service.browser(), 'ann')
    },
  ],
  [
    'exists',
    'sign-in',
    async (setup) => {
      await withAnn(setup, false)
      await signInThrough(setup.provider, setup.service.browser(), 'ann')
    },
  ],
  [
    'disabled',
    'sign-in',
    async ({ provider, service }) => {
      await signInThrough(provider, service.browser(), 'ann')
      value(await disablePerson({ people: service, by: operator, now: service.now() }, 'ann@example.org'))
      await signInThrough(provider, service.browser(), 'ann')
    },
  ],
  [
    'OAUTH_AUTHORIZATION_RESPONSE_ERROR access_denied',
    'sign-in',
    ({ provider, service }) => signInThrough(provider, service.browser(), 'nobody'),
  ],
  [
    'used_before',
    'sign-in',
    async ({ provider, service }) => {
      provider.fails = { repeats: true }
      const browser = service.browser()
      const address = await begins(browser)
      const { cookie } = browser
      const way = await providerBrowser(provider).goes(address, 'ann')
      await followCallback(browser, way)
      await service.browser().get(way.pathname + way.search, { ...fromElsewhere, cookie })
    },
  ],
  [
    'taken',
    'connect',
    async (setup) => {
      await signInThrough(setup.provider, setup.service.browser(), 'ann')
      await connects(setup, setup.kim, 'ann')
    },
  ],
  [
    'another_session',
    'connect',
    async ({ provider, kim }) => {
      const { body } = await kim.send<ProviderAddress>('POST', api('/factors/oidc'))
      const way = await providerBrowser(provider).goes(body.location, 'ann')
      await kim.send('POST', '/api/auth/sign-out')
      await followCallback(kim, way)
    },
  ],
]
test.each(reasons)('the log names %s as the reason, once, and nobody', async (why, purpose, fails) => {
  const setup = await newSetup()
  await fails(setup)
  const level = why === 'no_visit' ? 'info' : 'warn'
  expect(failures(setup)).toEqual([{ level, why, ...(purpose && { purpose }) }])
})

test.skipIf(level === 'short')(
  'where every domain is allowed, one network address gets 20 accounts in an hour; people with one sign in',
  async () => {
    const setup = await newSetup({}, { allow: '*' })
    const { provider, service } = setup
    const comes = async (who: string) => {
      provider.people[who] = { email: `${who}@elsewhere.example`, email_verified: true }
      return leadsTo(await signInThrough(provider, service.browser(), who))
    }
    const ends: (string | null)[] = []
    for (let i = 0; i < 22; i++) ends.push(await comes(`p${i}`))
    expect(ends).toEqual([...Array(20).fill('/'), '/sign-in?oidc=limited', '/sign-in?oidc=limited'])
    expect(await rowsOf(setup)).toMatchObject({ user: 21, oidc_connection: 20 })
    expect(failures(setup)).toEqual(Array(2).fill({ level: 'warn', why: 'too_many_accounts', purpose: 'sign-in' }))
    expect(await comes('p0')).toBe('/')
    service.pass(3601)
    expect(await comes('p20')).toBe('/')
  },
)

/** Counts accounts of strangers, as if they had come before from other addresses. */
async function countStrangers({ provider, service }: Setup, number: number): Promise<void> {
  const key = createHash('sha256').update(provider.settings.issuer).digest('base64url')
  const at = service.now()
  const rows = Array.from({ length: number }, (_, i) => ({ id: `stranger ${i}`, kind: 'account_provider', key, at }))
  await service.store.db.insertInto('counted_send').values(rows).execute()
}

test('where every domain is allowed, the provider gets 500 accounts in a day from all addresses together', async () => {
  const setup = await newSetup({}, { allow: '*' })
  const { provider, service } = setup
  await countStrangers(setup, 499)
  expect(leadsTo(await signInThrough(provider, service.browser(), 'ann'))).toBe('/')
  expect(leadsTo(await signInThrough(provider, service.browser(), 'bob'))).toBe('/sign-in?oidc=limited')
  service.pass(24 * hour + 1)
  expect(leadsTo(await signInThrough(provider, service.browser(), 'bob'))).toBe('/')
})

test('people who are invited neither count as strangers nor are stopped by their limits', async () => {
  const setup = await newSetup({}, { allow: '*' })
  const { provider, service, kim } = setup
  const workspace = { id: (await service.store.db.selectFrom('workspace').select('id').executeTakeFirstOrThrow()).id }
  await kim.send('POST', api('/w/north/invitations'), { email: 'ann@example.org', role: 'member' })
  const { db } = service.store
  await insertOperatorInvitation(
    db,
    { workspaceId: workspace.id, email: 'bob@example.org', role: 'admin' },
    service.now(),
  )
  const counted = async () => (await db.selectFrom('counted_send').select('kind').execute()).length
  expect(leadsTo(await signInThrough(provider, service.browser(), 'ann'))).toBe('/')
  expect(await counted()).toBe(0)
  await countStrangers(setup, 500)
  provider.people.cy = { email: 'cy@example.org', email_verified: true }
  expect(leadsTo(await signInThrough(provider, service.browser(), 'cy'))).toBe('/sign-in?oidc=limited')
  expect(leadsTo(await signInThrough(provider, service.browser(), 'bob'))).toBe('/')
  await kim.send('POST', api('/w/north/invitations'), { email: 'cy@example.org', role: 'member' })
  value(await disablePerson({ people: service, by: operator, now: service.now() }, 'kim@example.org'))
  const end = await signInThrough(provider, service.browser(), 'cy')
  expect(leadsTo(end), 'the invitation of somebody who is disabled is void').toBe('/sign-in?oidc=limited')
})

test.skipIf(level === 'short')('where domains are named, an office makes any number of accounts', async () => {
  const setup = await newSetup()
  for (let i = 0; i < 22; i++) {
    setup.provider.people[`p${i}`] = { email: `p${i}@example.org`, email_verified: true }
    expect(leadsTo(await signInThrough(setup.provider, setup.service.browser(), `p${i}`))).toBe('/')
  }
})

test('before the first account the log says why nobody gets one', async () => {
  const { provider } = await newSetup()
  const empty = await serve({ hostname: 'localhost', oidc: provider.settings })
  provider.knows(empty.baseUrl)
  await signInThrough(provider, empty.browser(), 'bob')
  expect(failures({ service: empty })).toEqual([{ level: 'warn', why: 'no_accounts', purpose: 'sign-in' }])
})

describe('if the service itself fails on the callback', () => {
  const breaks = ({ service }: Setup) => sql`drop table oidc_callback`.execute(service.store.db)

  test('somebody who signs in is led to the door, which keeps the page', async () => {
    const setup = await newSetup()
    const { provider, service } = setup
    await breaks(setup)
    const answer = await signInThrough(provider, service.browser(), 'ann', '?next=/w/north')
    expect([answer.status, leadsTo(answer)]).toEqual([302, '/sign-in?oidc=failed&next=%2Fw%2Fnorth'])
    expect(service.errors).toMatchObject([{ msg: 'a sign-in through the provider failed', purpose: 'sign-in' }])
  })

  test('somebody who connects their account is led to it', async () => {
    const setup = await newSetup()
    await breaks(setup)
    expect(await connects(setup, setup.kim, 'ann')).toBe('/account?oidc=failed')
    expect(setup.service.errors).toHaveLength(1)
  })
})

test('a disabled person is told so, and nobody gets an account before the first one', async () => {
  const setup = await newSetup()
  const { provider, service } = setup
  await signInThrough(provider, service.browser(), 'ann')
  value(await disablePerson({ people: service, by: operator, now: service.now() }, 'ann@example.org'))
  const browser = service.browser()
  expect(leadsTo(await signInThrough(provider, browser, 'ann'))).toBe('/sign-in?oidc=disabled')
  const empty = await serve({ hostname: 'localhost', oidc: provider.settings })
  provider.knows(empty.baseUrl)
  expect(leadsTo(await signInThrough(provider, empty.browser(), 'bob'))).toBe('/sign-in?oidc=failed')
  expect((await empty.browser().get<EntryInfo>(api('/door'))).body.first).toBe(true)
})

describe('an account', () => {
  test('is connected and disconnected by its person, and its sessions forget what was shown', async () => {
    const setup = await newSetup({ smtpUrl: 'smtp://127.0.0.1:1' })
    const { provider, service } = setup
    const ann = await withAnn(setup, false)
    expect(await connects(setup, ann, 'ann')).toBe('/account?oidc=connected')
    expect(await factors(ann)).toMatchObject({ oidc: { name: 'Example' }, password: true, shown: true })
    const browser = service.browser()
    expect(leadsTo(await signInThrough(provider, browser, 'ann'))).toBe('/')
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(200)
    expect(await factors(ann)).toMatchObject({ oidc: null, shown: false })
    expect(await factors(browser)).toMatchObject({ shown: false })
    expect((await ann.send<Refused>('DELETE', api('/factors/oidc'))).body.error?.code).toBe('factor_unknown')
    expect(leadsTo(await signInThrough(provider, service.browser(), 'ann'))).toBe('/sign-in?oidc=exists')
    const actions = await service.store.db
      .selectFrom('audit')
      .select('action')
      .where('action', 'like', 'person.oidc%')
      .execute()
    expect(actions.map(({ action }) => action)).toEqual(['person.oidc_connected', 'person.oidc_removed'])
    const mails = await service.store.db.selectFrom('account_mail').select('topic').execute()
    expect(mails.map(({ topic }) => JSON.parse(topic).what)).toEqual(
      expect.arrayContaining(['oidc_connected', 'oidc_removed']),
    )
  })

  test('is connected with one person, and a person with one account', async () => {
    const setup = await newSetup()
    const ann = await withAnn(setup)
    expect(await connects(setup, ann, 'ann')).toBe('/account?oidc=connected')
    expect(await connects(setup, ann, 'ann'), 'the same again changes nothing').toBe('/account?oidc=connected')
    expect(await connects(setup, ann, 'bob')).toBe('/account?oidc=taken')
    expect(await connects(setup, setup.kim, 'ann')).toBe('/account?oidc=taken')
    expect(await rowsOf(setup)).toMatchObject({ oidc_connection: 1 })
  })

  test('that is connected ends the other sessions in which no factor was shown', async () => {
    const setup = await newSetup()
    const { service } = setup
    const [ann, first] = [await withAnn(setup), await service.signedIn('ann@example.org')]
    expect(await connects(setup, ann, 'ann')).toBe('/account?oidc=connected')
    expect([(await ann.get(api('/me'))).status, (await first.get(api('/me'))).status]).toEqual([200, 401])
    const key = await addPasskey(ann, service.baseUrl)
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(200)
    const [shown, none] = [await service.signedIn('ann@example.org'), await service.signedIn('ann@example.org')]
    expect((await usePasskey(shown, key)).status).toBe(200)
    expect(await connects(setup, ann, 'ann')).toBe('/account?oidc=connected')
    const statuses = [ann, shown, none].map(async (browser) => (await browser.get(api('/me'))).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 401])
    expect(await connects(setup, ann, 'ann')).toBe('/account?oidc=connected')
    expect((await shown.get(api('/me'))).status, 'the same again ends nothing').toBe(200)
  })

  test.each([
    ['its verified address', { email: 'ANN.private@mail.example', email_verified: true }, 'ann.private@mail.example'],
    ['the end of its id, if the address is not verified', { email: 'admin@example.org' }, '…45678-ab'],
  ])('is named at the provider by %s: on the page, in the activity and in the mail', async (_, claims, account) => {
    const setup = await newSetup({ smtpUrl: 'smtp://127.0.0.1:1' })
    const { provider, service } = setup
    provider.people['12345678-ab'] = claims
    const ann = await withAnn(setup)
    await connects(setup, ann, '12345678-ab')
    expect(await factors(ann)).toMatchObject({ oidc: { name: 'Example', account } })
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(200)
    const lines = await linesOf(setup)
    expect(lines).toEqual([
      ['person.oidc_connected', { provider: 'Example', account, sessionsEnded: 0 }],
      ['person.oidc_removed', { provider: 'Example', account }],
    ])
    const mails = (await noticesOf(setup)).filter(({ topic }) => topic.what.startsWith('oidc'))
    expect(mails.map(({ says }) => says)).toEqual([
      expect.stringContaining(`The account ${account} of the sign-in provider, through which`),
      expect.stringContaining(`The account ${account} of the sign-in provider was disconnected`),
    ])
    expect(service.lines.join('\n')).not.toContain(account)
  })

  test('that an earlier build connected gets its name at the next sign-in, and keeps it', async () => {
    const setup = await newSetup()
    const { provider, service } = setup
    const ann = await withAnn(setup)
    await connects(setup, ann, 'ann')
    await service.store.db.updateTable('oidc_connection').set({ account: null }).execute()
    await signInThrough(provider, service.browser(), 'ann')
    expect((await factors(ann)).oidc).toMatchObject({ account: 'ann@example.org' })
    provider.people.ann = { email: 'other@example.org', email_verified: true }
    await signInThrough(provider, service.browser(), 'ann')
    expect((await factors(ann)).oidc).toMatchObject({ account: 'ann@example.org' })
  })

  test('that an earlier build connected has no name at the provider', async () => {
    const setup = await newSetup({ smtpUrl: 'smtp://127.0.0.1:1' })
    const ann = await withAnn(setup)
    await connects(setup, ann, 'ann')
    await setup.service.store.db.updateTable('oidc_connection').set({ account: null }).execute()
    expect((await factors(ann)).oidc).toMatchObject({ account: null })
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(200)
    expect((await linesOf(setup)).at(-1)).toEqual(['person.oidc_removed', { provider: 'Example' }])
    const mail = (await noticesOf(setup)).find(({ topic }) => topic.what === 'oidc_removed')
    expect(mail?.says).toMatch(/^The sign-in provider was disconnected/)
  })

  test('is connected only in the session that began it', async () => {
    const setup = await newSetup()
    const { provider, service, kim } = setup
    const { body } = await kim.send<ProviderAddress>('POST', api('/factors/oidc'))
    const way = await providerBrowser(provider).goes(body.location, 'ann')
    await service.person('Zoe', 'north', 'admin')
    await kim.send('POST', '/api/auth/sign-out')
    const given = { email: 'zoe@example.org', password }
    expect((await kim.send('POST', '/api/auth/sign-in/email', given)).body).toEqual({ ok: true })
    const before = await rowsOf(setup)
    expect(leadsTo(await followCallback(kim, way))).toBe('/account?oidc=failed')
    expect(await rowsOf(setup)).toEqual(before)
    expect((await service.browser().send('POST', api('/factors/oidc'))).status).toBe(401)
  })

  test('keeps its last way in', async () => {
    const setup = await newSetup()
    const { provider, service } = setup
    const ann = service.browser()
    await signInThrough(provider, ann, 'ann')
    const kept = await ann.send<Refused>('DELETE', api('/factors/oidc'))
    expect([kept.status, kept.body.error?.code]).toEqual([409, 'last_way_in'])
    const { stored } = await addPasskey(ann, service.baseUrl)
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(200)
    const last = await ann.send<Refused>('DELETE', api(`/factors/passkeys/${stored}`))
    expect([last.status, last.body.error?.code]).toEqual([409, 'last_way_in'])
    expect((await ann.send('POST', api('/password'), { current: '', next: 'another good password' })).status).toBe(200)
    expect((await ann.send('DELETE', api(`/factors/passkeys/${stored}`))).status).toBe(200)
    const browser = service.browser()
    const given = { email: 'ann@example.org', password: 'another good password' }
    expect((await browser.send('POST', '/api/auth/sign-in/email', given)).body).toEqual({ ok: true })
  })

  test.each([
    ['claim', false, true],
    ['claim', true, true],
    ['forgot', false, true],
    ['forgot', true, false],
  ] as const)(
    'that is handed over by a link to %s, confirmed: %s, is disconnected: %s',
    async (purpose, confirmed, ends) => {
      const setup = await newSetup()
      const { db } = setup.service.store
      await connects(setup, await withAnn(setup, confirmed), 'ann')
      const token = 'a link'.padEnd(43, '.')
      const person = (await findPerson(db, 'ann@example.org')) ?? null
      await insertLink({ db, by: operator, now: setup.service.now() }, { purpose, person, token })
      const body = { token, name: 'Ann', password: 'another good password' }
      expect((await setup.service.browser().send('POST', api('/claim'), body)).status).toBe(200)
      expect((await rowsOf(setup)).oidc_connection).toBe(ends ? 0 : 1)
    },
  )

  test('with another issuer counts as not connected, and is connected with the present one', async () => {
    const setup = await newSetup()
    const ann = await withAnn(setup)
    await connects(setup, ann, 'ann')
    await setup.service.store.db.updateTable('oidc_connection').set({ issuer: 'https://former.example' }).execute()
    expect((await factors(ann)).oidc).toBeNull()
    expect(leadsTo(await signInThrough(setup.provider, setup.service.browser(), 'ann'))).toBe('/')
    const browser = await setup.service.signedIn('ann@example.org')
    expect(await factors(browser)).toMatchObject({ oidc: { name: 'Example' } })
    expect(await rowsOf(setup)).toMatchObject({ oidc_connection: 1 })
  })

  test('is disconnected from a provider of before, which the activity names by its host', async () => {
    const setup = await newSetup()
    const ann = await withAnn(setup)
    await connects(setup, ann, 'ann')
    await setup.service.store.db.updateTable('oidc_connection').set({ issuer: 'https://former.example/x' }).execute()
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(200)
    expect((await linesOf(setup)).at(-1)).toEqual([
      'person.oidc_removed',
      { provider: 'former.example', account: 'ann@example.org' },
    ])
    expect((await ann.send('DELETE', api('/factors/oidc'))).status).toBe(404)
  })
})

/** The lines of the activity about connections, oldest first. */
async function linesOf({ service }: Setup): Promise<[action: string, details: unknown][]> {
  const lines = service.store.db.selectFrom('audit').select(['action', 'details'])
  const rows = await lines.where('action', 'like', 'person.oidc%').orderBy('id').execute()
  return rows.map(({ action, details }) => [action, JSON.parse(details)])
}

/** The waiting mails about changes of accounts, each with its first sentence. */
async function noticesOf({ service }: Setup): Promise<{ topic: AccountNotice; says: string | undefined }[]> {
  const rows = await service.store.db.selectFrom('account_mail').selectAll().orderBy('id').execute()
  const notices = rows.map(({ id, topic, created_at: createdAt }) => ({
    mail: { id, createdAt },
    topic: JSON.parse(topic) as MailTopic,
  }))
  const key = sealKeyOf('a secret of the tests')
  return Promise.all(
    notices.flatMap(({ mail, topic }) =>
      topic.kind !== 'notice'
        ? []
        : composeMail(topic, { people: service, mail, key, now: service.now() }).then((composed) => ({
            topic,
            says: composed?.text.lines[0],
          })),
    ),
  )
}

test('a provider that names another issuer than the setting signs nobody in', async () => {
  const { provider } = await newSetup()
  // The library does not compare the issuers of such an address.
  const issuer = `${provider.settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { service } = await newSetup({}, { issuer })
  expect((await service.browser().get(api('/oidc/start'))).headers.get('location')).toBe('/sign-in?oidc=failed')
})

test('signing in again at the provider is a proof, and the provider must ask then', async () => {
  const setup = await newSetup()
  const { provider, service } = setup
  const ann = service.browser()
  await signInThrough(provider, ann, 'ann')
  service.pass(601)
  const removal = () => ann.send<Refused>('POST', api('/factors/totp'))
  expect((await removal()).body.error?.code).toBe('proof_required')
  // The provider asked her eleven minutes ago, or does not say when.
  await signInThrough(provider, ann, 'ann')
  expect((await removal()).body.error?.code).toBe('proof_required')
  provider.fails = { claims: ({ auth_time: _, ...claims }) => claims }
  await signInThrough(provider, ann, 'ann')
  expect((await removal()).body.error?.code).toBe('proof_required')
  provider.fails = {}
  const address = await begins(ann, '?again=1&next=/account')
  expect(new URL(address).searchParams.get('max_age')).toBe('0')
  provider.fails = { claims: (claims) => ({ ...claims, auth_time: Number(claims.auth_time) - 120 }) }
  const old = await followCallback(ann, await providerBrowser(provider).goes(address, 'ann'))
  expect(leadsTo(old)).toBe('/sign-in?oidc=failed&next=%2Faccount')
  expect((await removal()).body.error?.code).toBe('proof_required')
  provider.fails = {}
  expect(leadsTo(await signInThrough(provider, ann, 'ann', '?again=1&next=/account'))).toBe('/account')
  expect((await removal()).status).toBe(200)
})

describe('where people sign in only through the provider', () => {
  const only = () => newSetup({}, { only: true })

  test('no route takes or sets a password', async () => {
    const setup = await only()
    const { service, kim } = setup
    const { body } = await service.browser().get<EntryInfo>(api('/door'))
    expect(body.oidc).toEqual({ name: 'Example', only: true })
    const invited = await kim.send<{ url: string }>('POST', api('/w/north/invitations'), {
      email: 'ann@example.org',
      role: 'member',
    })
    const link = api(`/invitations/${invited.body.url.split('/').at(-1)}`)
    const stranger = service.browser()
    const calls: [Browser, string, string, unknown?][] = [
      [stranger, 'POST', '/api/auth/sign-in/email', { email: 'kim@example.org', password }],
      [stranger, 'POST', api('/forgot'), { email: 'kim@example.org' }],
      [stranger, 'GET', api('/claim?token=x')],
      [stranger, 'POST', api('/claim'), { token: 'x'.repeat(43), name: 'Kim', password }],
      [stranger, 'POST', api('/second-factor'), { code: '123456' }],
      [stranger, 'POST', link, { name: 'Ann', password }],
      [kim, 'POST', api('/password'), { current: password, next: 'another good password' }],
      [kim, 'POST', api('/proof'), { password }],
    ]
    for (const [browser, method, path, sent] of calls) {
      const { status, body } = await browser.send<Refused>(method, path, sent)
      expect([path, status, body.error?.code]).toEqual([path, 403, 'oidc_only'])
    }
    expect(await factors(kim)).toMatchObject({ password: false })
    const ann = service.browser()
    await signInThrough(setup.provider, ann, 'ann')
    expect((await ann.send('POST', link, {})).status).toBe(200)
    expect((await me(ann)).workspaces).toMatchObject([{ slug: 'north' }])
  })

  test('passkeys, links of the operator and the first account stay', async () => {
    const { service, kim, provider } = await only()
    expect((await service.signedIn('kim@example.org')).cookie).not.toBe('')
    await addPasskey(kim, service.baseUrl)
    const empty = await serve({ hostname: 'localhost', oidc: provider.settings })
    const token = 'first'.padEnd(43, '.')
    await insertLink({ db: empty.store.db, by: operator, now: empty.now() }, { purpose: 'first', person: null, token })
    const body = { token, name: 'Ann', email: 'ann@example.org', password, workspace: 'North', slug: 'north' }
    expect((await empty.browser().send('POST', api('/start'), body)).status).toBe(200)
  })
})
