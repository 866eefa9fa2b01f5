import { expect, test } from 'vitest'
import { proofAddress, providerAddress } from './provider.ts'

const nextOf = (address: string) => new URL(address, 'http://localhost').searchParams.get('next')
const at = (path: string) => new URL(path, 'http://localhost')

test('a sign-in through the provider leads to any page with its parameters', () => {
  expect(providerAddress('/w/north?q=a%26b#1')).toBe('/api/web/oidc/start?next=%2Fw%2Fnorth%3Fq%3Da%2526b%231')
})

test('a sign-in that is a proof leads back to the same place, with a mark', () => {
  const address = proofAddress(at('/w/north?q=tag%3Aeu&sort=name#top'))
  expect(nextOf(address)).toBe('/w/north?q=tag%3Aeu&sort=name&signed-in=again#top')
  expect(new URL(address, 'http://localhost').searchParams.get('again')).toBe('true')
  expect(nextOf(proofAddress(at('/account')))).toBe('/account?signed-in=again')
})

test('a filter that is too long for the way back is left out', () => {
  expect(nextOf(proofAddress(at(`/w/north?q=${'a'.repeat(400)}`)))).toBe('/w/north?signed-in=again')
})
