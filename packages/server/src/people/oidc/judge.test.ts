import { expect, test } from 'vitest'
import { judgeClaims, type ProviderClaims, type ProviderFacts } from './judge.ts'

const person = { id: 'ann' }
const good: ProviderClaims = {
  subject: 's',
  email: 'Ann@Example.org',
  emailVerified: true,
  name: 'Ann',
  authenticatedAt: null,
}
const nobody: ProviderFacts = { connected: undefined, sameAddress: undefined }
const account = { person, disabled: false, confirmed: true, hasFactor: false, isConnected: false }
const link = { is: 'link', person }
const refused = (why: string) => ({ is: 'refused', why })

const cases: [
  says: string,
  given: {
    claims?: Partial<ProviderClaims>
    facts?: Partial<ProviderFacts>
    same?: Partial<typeof account>
    allow?: string[] | '*'
  },
  verdict: object,
][] = [
  ['somebody new gets an account', {}, { is: 'make', email: 'ann@example.org' }],
  ['any domain is fine if all are', { claims: { email: 'a@b.c' }, allow: '*' }, { is: 'make', email: 'a@b.c' }],
  ['the domain counts as a whole: below', { claims: { email: 'a@sub.example.org' } }, refused('domain')],
  ['the domain counts as a whole: behind', { claims: { email: 'a@example.org.evil' } }, refused('domain')],
  ['the domain counts as a whole: before', { claims: { email: 'a@evilexample.org' } }, refused('domain')],
  ['a second @ names no domain', { claims: { email: 'a@evil.org@example.org' } }, refused('unverified')],
  [
    'a domain is the same in both forms',
    { claims: { email: 'a@münchen.de' }, allow: ['xn--mnchen-3ya.de'] },
    { is: 'make', email: 'a@münchen.de' },
  ],
  ['an address must be verified', { claims: { emailVerified: false } }, refused('unverified')],
  ['a word is no verification', { claims: { emailVerified: 'true' } }, refused('unverified')],
  ['verification must be said', { claims: { emailVerified: undefined } }, refused('unverified')],
  ['an address must be there', { claims: { email: undefined } }, refused('unverified')],
  ['a list is no address', { claims: { email: ['ann@example.org'] } }, refused('unverified')],
  ['an address has a maximum length', { claims: { email: `${'a'.repeat(1e6)}@example.org` } }, refused('unverified')],
  ['a confirmed account is connected', { same: {} }, link],
  ['an account that is not confirmed is not', { same: { confirmed: false } }, refused('exists')],
  ['an account with a factor is not', { same: { hasFactor: true } }, refused('exists')],
  ['an account of another person at the provider is not', { same: { isConnected: true } }, refused('exists')],
  ['a disabled account is not', { same: { disabled: true } }, refused('disabled')],
  [
    'an account is not connected by an address that is not verified',
    { same: {}, claims: { emailVerified: 1 } },
    refused('unverified'),
  ],
  [
    'an account is not connected by an address of another domain',
    { same: {}, allow: ['other.org'] },
    refused('domain'),
  ],
  [
    'somebody who is connected signs in, whatever address they have there now',
    { facts: { connected: { person, disabled: false } }, claims: { email: 'x@evil.org', emailVerified: false } },
    { is: 'sign-in', person },
  ],
  ['a disabled person does not', { facts: { connected: { person, disabled: true } } }, refused('disabled')],
]

test.each(cases)('%s', (_, { claims, facts, same, allow = ['example.org'] }, verdict) => {
  const sameAddress = same && { ...account, ...same }
  expect(judgeClaims({ ...good, ...claims }, { ...nobody, sameAddress, ...facts }, { allow })).toEqual(verdict)
})
