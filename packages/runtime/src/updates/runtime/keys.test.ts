import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { readKeys, whyNeverUpdates } from './keys.ts'

/** Generates a public key in OpenSSH's format. */
function publicKey(): string {
  const raw = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const part = (b: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, b.length]), b])
  return `ssh-ed25519 ${Buffer.concat([part(Buffer.from('ssh-ed25519')), part(raw)]).toString('base64')}`
}

test('release keys are read one per line, without comments, empty lines and anything after the key', () => {
  const [a, b] = [publicKey(), publicKey()]
  expect(readKeys(`# ours\n\n${a} release@example\r\n  ${b}\n`)).toEqual([a, b])
  expect(readKeys('# none yet\n')).toEqual([])
})

test.each([
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----'],
  ['a line of allowed_signers', `svc-release ${publicKey()}`],
  ['a truncated key', publicKey().slice(0, -8)],
  ['a key with the name of another type', publicKey().replace('ssh-ed25519', 'ssh-rsa')],
  ['a line with options before the key', `namespaces="file" ${publicKey()}`],
])('%s is refused, so that no build trusts fewer or more keys than intended', (_what, line) => {
  expect(() => readKeys(`# ours\n${line}`)).toThrow('Line 2 of the release keys must be an OpenSSH public key')
})

test('a build without a release key, or from source, can never update itself and says so (3.5)', () => {
  expect(whyNeverUpdates('1.0.0', [])).toMatch(/no release key is built into this runtime/)
  expect(whyNeverUpdates('dev', [publicKey()])).toMatch(/from source/)
  expect(whyNeverUpdates('1.0.0', [publicKey()])).toBeUndefined()
})
