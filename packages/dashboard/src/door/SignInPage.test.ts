import { expect, test } from 'vitest'
import { failureInWords } from './SignInPage.tsx'

const acme = { name: 'Acme', only: false }

test.each([
  ['failed', 'You were not signed in through Acme. Try again'],
  ['unverified', 'Acme has not verified your email address. Have it verified there'],
  ['domain', 'Email addresses of your domain get no account here. Use another account at Acme'],
  ['exists', 'has an account here. Sign in as before, and connect Acme under My account.'],
  ['disabled', 'This account is disabled. Ask the operator'],
  ['limited', 'Too many people have made accounts here lately. Try again in an hour, or ask the operator'],
  ['busy', 'Too many sign-ins through Acme have failed or are still pending. Try again in some minutes.'],
])('a sign-in that ends with %s is explained', (reason, words) => expect(failureInWords(reason, acme)).toContain(words))

test('where nobody signs in with a password, nobody is sent to one', () => {
  const words = failureInWords('exists', { name: 'Acme', only: true })
  expect(words).toContain('Sign in with a passkey or with a link from the operator of this service, and connect Acme')
})

test('a service that no longer has a provider still explains the failure', () => {
  expect(failureInWords('failed', null)).toContain('through the sign-in provider')
})

test.each([null, '', 'other', 'toString', '__proto__'])('the reason %s in the address says nothing', (reason) =>
  expect(failureInWords(reason, acme)).toBeUndefined(),
)
