import { expect, test } from 'vitest'
import { seal, sealKeyOf, unseal } from './seal.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const text = '{"url":"https://hooks.example.org/T0/B0/x","token":"pä$$"}'

test('a sealed text opens with its key and for its owner', () => {
  expect(unseal(key, 'channel-1', seal(key, 'channel-1', text))).toBe(text)
  expect(unseal(sealKeyOf('a secret of at least thirty-two characters'), 'c', seal(key, 'c', ''))).toBe('')
})

test('nothing of a text is seen in its sealed form, and the same text is sealed differently each time', () => {
  const [once, again] = [seal(key, 'c', text), seal(key, 'c', text)]
  expect(once).not.toBe(again)
  expect(Buffer.from(once.slice(3), 'base64url').toString('latin1')).not.toContain('hooks')
})

test.each<[string, (sealed: string) => string | undefined]>([
  ['with another key', (sealed) => unseal(sealKeyOf('another secret of more than 32 characters'), 'c', sealed)],
  ['for another owner', (sealed) => unseal(key, 'd', sealed)],
  ['once a bit of it changed', (sealed) => unseal(key, 'c', flipped(sealed, -20))],
  ['once its nonce changed', (sealed) => unseal(key, 'c', flipped(sealed, 2))],
  ['once it was cut', (sealed) => unseal(key, 'c', sealed.slice(0, -4))],
  ['in another form', (sealed) => unseal(key, 'c', sealed.replace('v1', 'v2'))],
  ['when it is nothing', () => unseal(key, 'c', '')],
  ['when it is too short', () => unseal(key, 'c', 'v1.AAAA')],
])('a sealed text does not open %s', (_how, open) => expect(open(seal(key, 'c', text))).toBeUndefined())

function flipped(sealed: string, at: number): string {
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  const index = at < 0 ? bytes.length + at : at
  bytes[index] = (bytes[index] ?? 0) ^ 1
  return `v1.${bytes.toString('base64url')}`
}
