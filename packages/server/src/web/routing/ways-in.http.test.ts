/**
 * Tests every way to get a session, in every state of the account and the workspace: who is in, and with which rights.
 */
import type { Factors, Me, NewTotp, ProviderAddress, RecoveryCodes, SignInAnswer } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import {
  followCallback,
  providerBrowser,
  signInThrough,
  startProvider,
  type TestProvider,
} from '../../../testing/oidc.ts'
import { type Browser, operator, password, type Service, serve, value } from '../../../testing/page/service.ts'
import { addPasskey, type TestPasskey, usePasskey } from '../../../testing/passkeys.ts'
import { confirmEmail } from '../../people/accounts/confirmed.ts'
import { insertLink } from '../../people/accounts/links.ts'
import { findPerson } from '../../people/accounts/store.ts'
import { inviteAsOperator } from '../../people/workspaces/invitations.ts'
import { disablePerson } from '../../people/workspaces/people.ts'
import { requireFactor } from '../../people/workspaces/requirement.ts'
import { createWorkspace } from '../../people/workspaces/store.ts'

type Role = 'admin' | 'member'
interface Answered {
  status: number
  body: { error?: { code: string } }
}
interface Setup {
  provider: TestProvider
  service: Service
  workspace: { id: string; slug: string; name: string }
}

const anns = 'ann@example.org'
const newPassword = 'another good password'
const api = (path: string) => `/api/web${path}`
const me = (browser: Browser) => browser.get<Me>(api('/me'))
const context = ({ service }: Setup) => ({ people: service, by: operator, now: service.now() })

async function newSetup(): Promise<Setup> {
  const provider = await startProvider()
  const service = await serve({ hostname: 'localhost', oidc: provider.settings })
  provider.knows(service.baseUrl)
  return { provider, service, workspace: await service.workspace('north') }
}

/** Connects the account of this browser with the person `ann` at the provider. */
async function connects({ provider }: Setup, browser: Browser): Promise<void> {
  const { body } = await browser.send<ProviderAddress>('POST', api('/factors/oidc'))
  await followCallback(browser, await providerBrowser(provider).goes(body.location, 'ann'))
}

/** Signs Ann in through the provider; a refusal is as one of another way, with the reason as its code. */
async function throughProvider({ provider }: Setup, browser: Browser): Promise<Answered> {
  const { headers } = await signInThrough(provider, browser, 'ann')
  const why = new URL(headers.get('location') ?? '', 'http://localhost').searchParams.get('oidc')
  return why === null ? { status: 200, body: {} } : { status: 302, body: { error: { code: why } } }
}
const require = async (setup: Setup) =>
  value(await requireFactor({ ...context(setup), db: setup.service.store.db }, setup.workspace, setup.service.now()))

/** Makes a link for Ann, even if she is disabled: a node of an earlier version may make one. */
async function linkOf({ service }: Setup, purpose: 'sign_in' | 'claim' | 'forgot'): Promise<string> {
  const token = `a link to ${purpose}`.padEnd(43, '.')
  const person = (await findPerson(service.store.db, anns)) ?? null
  await insertLink({ db: service.store.db, by: operator, now: service.now() }, { purpose, person, token })
  return token
}
const claims = async (setup: Setup, browser: Browser, purpose: 'claim' | 'forgot') => {
  const body = { token: await linkOf(setup, purpose), name: 'Ann', password: newPassword }
  return await browser.send<SignInAnswer & Answered['body']>('POST', api('/claim'), body)
}

/** Invites an address to the workspace south, as the admin Kim or as the operator, and returns the path of the link. */
const inviters: Record<string, (setup: Setup, email: string, role: Role) => Promise<string>> = {
  'an admin': async ({ service }, email, role) => {
    await service.workspace('south')
    const kim = await service.person('Kim', 'south', 'admin')
    const { body } = await kim.send<{ url: string }>('POST', api('/w/south/invitations'), { email, role })
    return pathOf(body.url)
  },
  'the operator': async (setup, email, role) => {
    const south = value(await createWorkspace(context(setup), { slug: 'south', name: 'south' }))
    return pathOf(value(await inviteAsOperator(context(setup), south, { email, role })).url)
  },
}
const pathOf = (url: string) => api(`/invitations/${url.split('/').at(-1)}`)
const accepts = (browser: Browser, path: string) =>
  browser.send<Answered['body']>('POST', path, { name: 'Ann', password: newPassword })

interface Way {
  use(setup: Setup, browser: Browser, passkey?: TestPasskey): Promise<{ status: number; body: unknown }>
  /** True if the account is first connected with the provider. */
  connected?: true
  /** True if the way removes passkeys, but no app. */
  removesPasskeys?: true
  /**
   * `factor`: the way asks for a factor, because the account has an app. `removed`: it removes all factors.
   * `is one` and `shows one`: it is a factor itself, or counts as showing one.
   */
  asks: 'factor' | 'none' | 'removed' | 'is one' | 'shows one'
  /** How the way is refused while the account is disabled. */
  disabled: [status: number, code: string]
  /** How the way is refused in any case. */
  always?: [status: number, code: string]
  /** How the way is refused if the account has a factor. */
  withFactor?: [status: number, code: string]
}

/** Ways to get a session, each for Ann in a new browser. */
const ways: Record<string, Way> = {
  'a password': {
    use: (_, browser) => browser.send('POST', '/api/auth/sign-in/email', { email: anns, password }),
    asks: 'factor',
    disabled: [403, 'account_disabled'],
  },
  'a passkey': {
    use: async (_, browser, passkey) => {
      if (!passkey) throw new Error('Ann has no passkey.')
      return usePasskey(browser, passkey)
    },
    asks: 'is one',
    disabled: [403, 'account_disabled'],
  },
  'the provider, with which the account is connected': {
    use: throughProvider,
    connected: true,
    asks: 'shows one',
    disabled: [302, 'disabled'],
  },
  'the provider, which has verified the confirmed address of the account': {
    use: async (setup, browser) => {
      const { db } = setup.service.store
      await confirmEmail(db, (await findPerson(db, anns))?.id ?? '', setup.service.now())
      return throughProvider(setup, browser)
    },
    asks: 'shows one',
    disabled: [302, 'disabled'],
    withFactor: [302, 'exists'],
  },
  'the provider, where the address of the account was never confirmed': {
    use: throughProvider,
    asks: 'none',
    disabled: [302, 'exists'],
    always: [302, 'exists'],
  },
  'a link of the operator': {
    use: async (setup, browser) => browser.send('POST', api('/link'), { token: await linkOf(setup, 'sign_in') }),
    asks: 'none',
    disabled: [403, 'account_disabled'],
  },
  'a forgotten password, who shows for the first time that the address is theirs': {
    use: (setup, browser) => claims(setup, browser, 'forgot'),
    asks: 'factor',
    removesPasskeys: true,
    disabled: [404, 'link_unknown'],
  },
  'a forgotten password': {
    use: async (setup, browser) => {
      const { db } = setup.service.store
      await confirmEmail(db, (await findPerson(db, anns))?.id ?? '', setup.service.now())
      return claims(setup, browser, 'forgot')
    },
    asks: 'factor',
    disabled: [404, 'link_unknown'],
  },
  'a link that hands the account over': {
    use: (setup, browser) => claims(setup, browser, 'claim'),
    asks: 'removed',
    disabled: [404, 'link_unknown'],
  },
  ...Object.fromEntries(
    Object.entries(inviters).map(([who, invite]): [string, Way] => [
      `an invitation of ${who} to somebody who has an account`,
      {
        use: async (setup, browser) => accepts(browser, await invite(setup, anns, 'member')),
        asks: 'none',
        disabled: [401, 'sign_in_needed'],
        always: [401, 'sign_in_needed'],
      },
    ]),
  ),
}

/** Adds an authenticator app to the account of this browser, and returns a function that makes its codes. */
async function enrol({ service }: Setup, browser: Browser): Promise<() => string> {
  const { secret } = (await browser.send<NewTotp>('POST', api('/factors/totp'))).body
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
  const added = await browser.send<RecoveryCodes>('POST', api('/factors/totp/confirm'), { code: code() })
  expect(added.status).toBe(200)
  service.pass(60)
  return code
}
const sessionsOf = async ({ service }: Setup, email: string) =>
  (
    await service.store.db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select('session.id')
      .where('email', '=', email)
      .execute()
  ).length

/**
 * Expects that a browser has this role in a workspace: in the answer about the person, and when it changes something.
 */
async function expectRole(browser: Browser, slug: string, role: Role, refusal: string): Promise<void> {
  expect((await me(browser)).body.workspaces).toContainEqual(expect.objectContaining({ slug, role }))
  const changed = await browser.send<Answered['body']>('PATCH', api(`/w/${slug}`), { name: 'Changed' })
  expect(changed.body.error?.code).toBe(role === 'admin' ? undefined : refusal)
}

const states = (['nothing more', 'an app', 'a passkey'] as const).flatMap((factor) =>
  [false, true].flatMap((disabled) =>
    [false, true].map((required) => {
      const says = [
        `with ${factor}`,
        ...(disabled ? ['disabled'] : []),
        ...(required ? ['where the workspace requires a factor'] : []),
      ]
      return [says.join(', '), { factor, disabled, required }] as const
    }),
  ),
)

describe.each(Object.entries(ways))('somebody who comes by %s', (_, way) => {
  test.each(states)('%s', async (_, { factor, disabled, required }) => {
    const setup = await newSetup()
    const ann = await setup.service.person('Ann', 'north', 'admin')
    const code = factor === 'an app' ? await enrol(setup, ann) : undefined
    const hasPasskey = factor === 'a passkey' || way.asks === 'is one'
    const passkey = hasPasskey ? await addPasskey(ann, setup.service.baseUrl) : undefined
    if (way.connected) await connects(setup, ann)
    if (required) await require(setup)
    if (disabled) value(await disablePerson(context(setup), anns))
    const before = await sessionsOf(setup, anns)
    const browser = setup.service.browser()
    const came = await way.use(setup, browser, passkey)

    const withFactor = factor === 'nothing more' ? undefined : way.withFactor
    const refused = withFactor ?? (disabled ? way.disabled : way.always)
    if (refused) {
      expect([came.status, (came.body as Answered['body']).error?.code]).toEqual(refused)
      expect((await me(browser)).status).toBe(401)
      expect(await sessionsOf(setup, anns)).toBe(before)
      return
    }
    expect(came.status).toBe(200)
    if (code && way.asks === 'factor') {
      expect(came.body).toEqual({ ok: false, second: ['totp', 'recovery'] })
      expect((await me(browser)).status).toBe(401)
      expect((await browser.send('POST', api('/second-factor'), { code: code() })).status).toBe(200)
    }
    const shown = way.asks === 'is one' || way.asks === 'shows one' || (code !== undefined && way.asks === 'factor')
    await expectRole(browser, 'north', required && !shown ? 'member' : 'admin', 'factor_required')
    const isRemoved = way.asks === 'removed'
    const keepsPasskey = hasPasskey && !isRemoved && !way.removesPasskeys
    const has = { app: code !== undefined && !isRemoved, passkeys: keepsPasskey ? 1 : 0 }
    const { body } = await browser.get<Factors>(api('/factors'))
    expect([body.totp, body.passkeys.length, body.shown]).toEqual([has.app, has.passkeys, shown])
    if (passkey && way.asks !== 'is one')
      expect((await usePasskey(setup.service.browser(), passkey)).status).toBe(keepsPasskey ? 200 : 401)
    // Somebody who has a factor proves by nothing else.
    const proof = await browser.send<Answered['body']>('POST', api('/proof'), { password })
    expect(proof.body.error?.code === 'code_wrong').toBe(has.app || has.passkeys > 0)
  })
})

test.each([
  ['an app', enrol],
  ['a passkey', ({ service }: Setup, ann: Browser) => addPasskey(ann, service.baseUrl)],
  ['a connection with the provider', connects],
] as const)('the only admin is not locked out by a requirement: adding %s gives the rights back', async (_, adds) => {
  const setup = await newSetup()
  const ann = await setup.service.person('Ann', 'north', 'admin')
  await require(setup)
  await expectRole(ann, 'north', 'member', 'factor_required')
  await adds(setup, ann)
  await expectRole(ann, 'north', 'admin', '')
})

describe.each(Object.entries(inviters))('an invitation of %s', (who, invite) => {
  test.each([
    ['admin', false, 'admin', ''],
    ['admin', true, 'member', 'factor_required'],
    ['member', false, 'member', 'not_allowed'],
    ['member', true, 'member', 'not_allowed'],
  ] as const)(
    'to become %s lets somebody new in, where a factor is required: %s',
    async (invited, required, role, refusal) => {
      const setup = await newSetup()
      const path = await invite(setup, anns, invited)
      const south = await setup.service.store.db
        .selectFrom('workspace')
        .select(['id', 'slug', 'name'])
        .where('slug', '=', 'south')
        .executeTakeFirstOrThrow()
      if (required) await require({ ...setup, workspace: south })
      const browser = setup.service.browser()
      expect((await accepts(browser, path)).status).toBe(200)
      await expectRole(browser, 'south', role, refusal)
      expect((await browser.get<Factors>(api('/factors'))).body).toMatchObject({ totp: false, shown: false })
    },
  )

  test('is accepted by somebody with an account only in a session, which shows what it showed before', async () => {
    const setup = await newSetup()
    const ann = await setup.service.person('Ann', 'north', 'member')
    const path = await invite(setup, anns, 'admin')
    const code = await enrol(setup, ann)
    const link = await setup.service.signedIn(anns)
    expect((await accepts(link, path)).status).toBe(200)
    const south = await setup.service.store.db
      .selectFrom('workspace')
      .select(['id', 'slug', 'name'])
      .where('slug', '=', 'south')
      .executeTakeFirstOrThrow()
    await require({ ...setup, workspace: south })
    await expectRole(link, 'south', 'member', 'factor_required')
    await expectRole(ann, 'south', 'admin', '')
    expect((await link.send('POST', api('/proof'), { code: code() })).status).toBe(200)
    await expectRole(link, 'south', 'admin', '')
  })

  test('lets nobody in while the person who invited is disabled; the operator cannot be', async () => {
    const setup = await newSetup()
    const path = await invite(setup, anns, 'admin')
    const kim = await disablePerson(context(setup), 'kim@example.org')
    expect(kim.ok).toBe(who !== 'the operator')
    const browser = setup.service.browser()
    expect((await accepts(browser, path)).status).toBe(kim.ok ? 404 : 200)
    expect((await me(browser)).status).toBe(kim.ok ? 401 : 200)
    expect(await sessionsOf(setup, anns)).toBe(kim.ok ? 0 : 1)
  })
})
