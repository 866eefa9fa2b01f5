import { expect, test } from 'vitest'
import { addressOfFile, recoveryFile, whyAdd } from './SecondFactors.tsx'

test('the file of the recovery codes says whose they are, for which service, and from when', () => {
  const codes = ['7k2m-9xq4-b0c1-z8nd', '0000-1111-2222-3333']
  const text = recoveryFile({
    codes,
    email: 'jürgen@example.org',
    host: 'svc.example.org',
    now: +new Date(2026, 11, 3),
  })
  expect(text).toBe(
    `Recovery codes for jürgen@example.org at svc.example.org, made on 2026-12-03.
Each signs you in once, without your phone. Newer codes replace these.

7k2m-9xq4-b0c1-z8nd
0000-1111-2222-3333
`,
  )
  expect(decodeURIComponent(addressOfFile(text).replace('data:text/plain;charset=utf-8,', ''))).toBe(text)
})

test('an authenticator app is recommended to people who sign in with a password', () => {
  const oidc = { name: 'Acme', since: 0, account: null }
  expect(whyAdd({ oidc }, true)).toContain('a password alone does not sign anybody in')
  expect(whyAdd({ oidc }, false)).toBe('Signing in with Acme counts as one, so you need none.')
  expect(whyAdd({ oidc: null }, false)).toContain('without signing in again')
})
