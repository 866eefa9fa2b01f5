/** Tests that factors and sessions of the version before passkeys stay valid, on both engines, and passkeys join. */
import type { Factors, SignInAnswer } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { keptBeforePasskeys, openBeforePasskeys } from '../../../testing/earlier/before-passkeys.ts'
import { type Browser, serve } from '../../../testing/page/service.ts'
import { addPasskey, usePasskey } from '../../../testing/passkeys.ts'

const api = (path: string) => `/api/web${path}`

test.each(['sqlite', 'postgres'] as const)('on data of the version before passkeys, on %s', async (engine) => {
  const { password, cookie, app, secret, recovery } = keptBeforePasskeys(engine)
  const opened = await openBeforePasskeys(engine)
  const service = await serve({ ...opened, secret, passwordForm: 'scrypt', hostname: 'localhost' })
  const code = () => new TOTP({ secret: Secret.fromBase32(app) }).generate({ timestamp: service.now() })
  const factorsIn = async (headers: Record<string, string> = {}, browser: Browser = service.browser()) =>
    (await browser.get<Factors>(api('/factors'), headers)).body
  expect(await factorsIn({ cookie })).toMatchObject({ totp: true, recoveryLeft: 10, passkeys: [], shown: true })

  const signsIn = async () => {
    const browser = service.browser()
    const given = { email: 'ann@example.org', password }
    const { body } = await browser.send<SignInAnswer>('POST', '/api/auth/sign-in/email', given)
    return { browser, body }
  }
  const { browser, body } = await signsIn()
  expect(body).toEqual({ ok: false, second: ['totp', 'recovery'] })
  expect((await browser.send('POST', api('/second-factor'), { code: code() })).status).toBe(200)
  const passkey = await addPasskey(browser, service.baseUrl)
  expect((await factorsIn({ cookie })).shown, 'a further factor ends no session').toBe(true)

  const other = await signsIn()
  expect(other.body).toEqual({ ok: false, second: ['totp', 'recovery', 'passkey'] })
  const half = { cookie: other.browser.cookie }
  expect((await usePasskey(other.browser, passkey)).status, 'the sign-in is finished by the passkey').toBe(200)
  const twice = await service.browser().send('POST', api('/second-factor'), { recovery: recovery[0] }, half)
  expect(twice.status, 'and cannot be finished again').toBe(401)
  expect((await other.browser.send('DELETE', api('/factors/totp'))).status).toBe(200)
  expect(await factorsIn({}, other.browser)).toMatchObject({ totp: false, recoveryLeft: 0, shown: true })
  expect((await factorsIn({ cookie })).shown).toBe(false)
  expect((await signsIn()).body).toEqual({ ok: true })
})
