/** Tests that the sessions, passwords and links of the version before second factors stay valid, on both engines. */
import type { Factors, Me } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { keptBeforeFactors, openBeforeFactors } from '../../../testing/earlier/before-factors.ts'
import { type Browser, serve } from '../../../testing/page/service.ts'

const api = (path: string) => `/api/web${path}`
const newPassword = 'another good password'

describe.each(['sqlite', 'postgres'] as const)('on data of the version before second factors, on %s,', (engine) => {
  async function start() {
    const kept = keptBeforeFactors(engine)
    const service = await serve({
      postgres: await openBeforeFactors(engine),
      secret: kept.secret,
      passwordForm: 'scrypt',
    })
    const me = (cookie: string) => service.browser().get<Me>(api('/me'), { cookie })
    return { service, kept, me }
  }
  const nameIn = async (browser: Browser) => (await browser.get<Me>(api('/me'))).body.name

  test('sessions go on, without a factor, and a proof is as old as their sign-in', async () => {
    const { service, kept, me } = await start()
    for (const [who, cookie] of Object.entries(kept.cookies)) {
      expect((await me(cookie)).body).toMatchObject({ email: `${who}@example.org`, workspaces: [{ slug: 'north' }] })
      const { body } = await service.browser().get<Factors>(api('/factors'), { cookie })
      expect(body).toMatchObject({ totp: false, recoveryLeft: 0, shown: false })
    }
    const send = <T>(method: string, path: string, body?: object) =>
      service.browser().send<T>(method, api(path), body, { cookie: kept.cookies.ada })
    const { secret } = (await send<{ secret: string }>('POST', '/factors/totp')).body
    service.pass(660)
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
    expect((await send('POST', '/factors/totp/confirm', { code })).body).toMatchObject({
      error: { code: 'proof_required' },
    })
    expect((await send('POST', '/proof', { password: kept.password })).status).toBe(200)
    expect((await send('POST', '/factors/totp/confirm', { code })).status).toBe(200)
    const signedIn = await service
      .browser()
      .send('POST', '/api/auth/sign-in/email', { email: 'ada@example.org', password: kept.password })
    expect(signedIn.body).toEqual({ ok: false, second: ['totp', 'recovery'] })
  })

  test('passwords, links of both kinds and invitations work', async () => {
    const { service, kept } = await start()
    const tries: [string, string, object][] = [
      ['Bob', '/api/auth/sign-in/email', { email: 'bob@example.org', password: kept.password }],
      ['Ada', api('/link'), { token: kept.links.sign_in }],
      ['Cyd', api('/claim'), { token: kept.links.claim, name: 'Cyd', password: newPassword }],
      ['Dan', api(`/invitations/${kept.invitation}`), { name: 'Dan', password: newPassword }],
    ]
    for (const [name, path, body] of tries) {
      const browser = service.browser()
      expect([name, (await browser.send('POST', path, body)).status]).toEqual([name, 200])
      expect(await nameIn(browser)).toBe(name)
    }
  })
})
