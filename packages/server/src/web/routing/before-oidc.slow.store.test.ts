/**
 * Tests that data of the version before sign-in providers stays as it is, on both engines, and connects with one. `npm
 * test` leaves this out. packages/server/src/web/routing/oidc.store.test.ts proves the same rules.
 */
import type { Factors, Me, ProviderAddress, SignInAnswer } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { keptBeforeOidc, openBeforeOidc } from '../../../testing/earlier/before-oidc.ts'
import { followCallback, providerBrowser, signInThrough, startProvider } from '../../../testing/oidc.ts'
import { serve } from '../../../testing/page/service.ts'
import { keptPasskey, usePasskey } from '../../../testing/passkeys.ts'

const api = (path: string) => `/api/web${path}`

async function opened(engine: 'sqlite' | 'postgres') {
  const kept = keptBeforeOidc(engine)
  const provider = await startProvider()
  provider.people.cy = { email: 'cy@example.org', email_verified: true }
  const { secret } = kept
  const data = await openBeforeOidc(engine)
  const service = await serve({
    ...{ ...data, secret, passwordForm: 'scrypt', hostname: 'localhost', oidc: provider.settings },
  })
  provider.knows(service.baseUrl)
  const factorsIn = async (cookie: string) => (await service.browser().get<Factors>(api('/factors'), { cookie })).body
  return { kept, provider, service, factorsIn }
}

describe.each(['sqlite', 'postgres'] as const)('on data of the version before, on %s', (engine) => {
  test('sessions, apps, recovery codes and passkeys stay', async () => {
    const { kept, service, factorsIn } = await opened(engine)
    const { ann, bob, cy } = kept.sessions
    expect(await factorsIn(ann)).toMatchObject({
      ...{ totp: true, recoveryLeft: 10, passkeys: [{ name: 'Laptop', here: true }], oidc: null, password: true },
      shown: true,
    })
    expect(await factorsIn(bob)).toMatchObject({ totp: false, passkeys: [{ name: 'Key' }], oidc: null, shown: true })
    expect(await factorsIn(cy)).toMatchObject({ totp: false, passkeys: [], oidc: null, password: true, shown: false })
    for (const who of ['ann', 'bob'] as const) {
      const browser = service.browser()
      const passkey = keptPasskey(service.baseUrl, kept.passkeys[who])
      expect((await usePasskey(browser, passkey)).status).toBe(200)
      expect((await browser.get<Me>(api('/me'))).body).toMatchObject({
        email: `${who}@example.org`,
        workspaces: [{ slug: 'north', role: who === 'ann' ? 'admin' : 'member' }],
      })
    }
    const browser = service.browser()
    const given = { email: 'ann@example.org', password: kept.password }
    const { body } = await browser.send<SignInAnswer>('POST', '/api/auth/sign-in/email', given)
    expect(body).toEqual({ ok: false, second: ['totp', 'recovery', 'passkey'] })
    const code = new TOTP({ secret: Secret.fromBase32(kept.app) }).generate({ timestamp: service.now() })
    expect((await browser.send('POST', api('/second-factor'), { code })).status).toBe(200)
  })

  test('a copied passkey is still noticed by its counter', async () => {
    const { kept, service } = await opened(engine)
    const copy = keptPasskey(service.baseUrl, { ...kept.passkeys.bob, counter: 0 })
    expect(kept.passkeys.bob.counter).toBe(1)
    expect((await usePasskey(service.browser(), copy, { counter: 1 })).status).toBe(401)
  })

  test('an account without a factor is connected by its confirmed address, one with a factor by its person', async () => {
    const { kept, provider, service, factorsIn } = await opened(engine)
    const refused = await signInThrough(provider, service.browser(), 'ann')
    expect(refused.headers.get('location')).toBe('/sign-in?oidc=exists')
    const cy = service.browser()
    expect((await signInThrough(provider, cy, 'cy')).headers.get('location')).toBe('/')
    expect((await cy.get<Me>(api('/me'))).body).toMatchObject({ email: 'cy@example.org', name: 'Cy' })

    const ann = service.browser()
    expect((await usePasskey(ann, keptPasskey(service.baseUrl, kept.passkeys.ann))).status).toBe(200)
    const { body } = await ann.send<ProviderAddress>('POST', api('/factors/oidc'))
    const back = await followCallback(ann, await providerBrowser(provider).goes(body.location, 'ann'))
    expect(back.headers.get('location')).toBe('/account?oidc=connected')
    expect((await factorsIn(kept.sessions.ann)).oidc, 'her session had shown a factor').not.toBeNull()
    const next = service.browser()
    await signInThrough(provider, next, 'ann')
    expect((await next.get<Me>(api('/me'))).body).toMatchObject({
      email: 'ann@example.org',
      workspaces: [{ slug: 'north' }],
    })
  })
})
