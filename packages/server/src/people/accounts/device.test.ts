import { expect, test } from 'vitest'
import { deviceCookies } from './device.ts'

const devices = deviceCookies({ secret: 'a secret of the tests, long enough', baseUrl: 'http://localhost' })
const now = Date.UTC(2026, 10, 22)
const day = 86_400_000
const jar = (cookie: string) => `theme=dark; ${cookie.split(';')[0]}`

test('a browser is known to the account that signed in with it, and to no other', () => {
  const cookies = jar(devices.renew(undefined, 'ann@example.org', now))
  expect(devices.find(cookies, 'ann@example.org', now + 399 * day)).toMatch(/^[\w-]{22}$/)
  expect(devices.find(cookies, 'bob@example.org', now)).toBeUndefined()
  expect(devices.find(undefined, 'ann@example.org', now)).toBeUndefined()
})

test('a browser is known to the last three accounts that were signed in to', () => {
  let cookies: string | undefined
  for (const name of ['ann', 'bob', 'ann', 'eve', 'dan']) {
    cookies = jar(devices.renew(cookies, `${name}@example.org`, now))
  }
  const known = (name: string) => devices.find(cookies, `${name}@example.org`, now) !== undefined
  expect(['ann', 'bob', 'eve', 'dan'].filter(known)).toEqual(['ann', 'eve', 'dan'])
})

test('after 400 days, or with another signature, a browser is unknown', () => {
  const cookies = jar(devices.renew(undefined, 'ann@example.org', now))
  expect(devices.find(cookies, 'ann@example.org', now + 401 * day)).toBeUndefined()
  const other = deviceCookies({ secret: 'the secret of another service', baseUrl: 'http://localhost' })
  expect(other.find(cookies, 'ann@example.org', now)).toBeUndefined()
  expect(devices.find(`svc.device=${'~.'.repeat(5000)}`, 'ann@example.org', now)).toBeUndefined()
})

test('the cookie is HttpOnly and Lax, behind https also Secure and bound to the host, and names nobody', () => {
  expect(devices.renew(undefined, 'ann@example.org', now)).toMatch(
    /^svc\.device=[0-9a-z]+\.[\w-]{22}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const https = deviceCookies({ secret: 'a secret', baseUrl: 'https://svc.example.org' }).renew(
    undefined,
    'ann@example.org',
    now,
  )
  expect(https).toMatch(/^__Host-svc\.device=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
})
