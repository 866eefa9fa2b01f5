/**
 * The public keys by which the runtime recognises its own releases (3.5). They are built in, so that no service and no
 * file on the machine can add others. There may be several, so that a key can be replaced. The build takes them from
 * `packages/runtime/release-keys`.
 */
import { ownVersion } from '../../machine/base/version.ts'

declare const __SVC_RELEASE_KEYS__: readonly string[] | undefined

/** The keys in the form `ssh-ed25519 AAAA…`: the type and the key, without a comment. */
export const releaseKeys: readonly string[] = typeof __SVC_RELEASE_KEYS__ === 'undefined' ? [] : __SVC_RELEASE_KEYS__

/** Why this runtime can never update itself, whatever is served (3.5); undefined if it can. */
export function whyNeverUpdates(running = ownVersion, keys = releaseKeys): string | undefined {
  if (running === 'dev') return 'this runtime runs from source, so it does not update itself'
  return keys.length === 0 ? 'no release key is built into this runtime, so it trusts no file' : undefined
}

const types = ['ssh-ed25519', 'sk-ssh-ed25519@openssh.com', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ssh-rsa']

/**
 * Reads a file of public keys, one per line; empty lines and `#` comments are allowed. Throws for a line that is not a
 * key.
 */
export function readKeys(text: string): string[] {
  return text.split('\n').flatMap((written, i) => {
    const line = written.trim()
    if (line === '' || line.startsWith('#')) return []
    const [type = '', key = ''] = line.split(/\s+/)
    if (!types.includes(type) || !isKey(type, key))
      throw new Error(`Line ${i + 1} of the release keys must be an OpenSSH public key: got ${JSON.stringify(line)}.`)
    return [`${type} ${key}`]
  })
}

/**
 * Checks that the bytes of a key begin with the length and the text of its type, to notice a truncated or corrupted
 * line.
 */
function isKey(type: string, key: string): boolean {
  const bytes = Buffer.from(key, 'base64')
  if (bytes.toString('base64') !== key || bytes.length < 4 + type.length + 4) return false
  let at = 0
  for (let first = true; at + 4 <= bytes.length; first = false) {
    const length = bytes.readUInt32BE(at)
    if (first && bytes.toString('latin1', 4, 4 + length) !== type) return false
    at += 4 + length
  }
  return at === bytes.length
}
