/**
 * Encrypts the address, token and signing secret of a channel, the secrets of authenticator apps, and the contents of
 * cookies of sign-ins, with keys derived from the file `secret`. A copy of the database without that file does not
 * reveal them.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
/** The purposes of keys. A text that was sealed for one purpose cannot be unsealed with the key of another. */
const purposes = {
  channels: 'svc: secrets of alert channels',
  totp: 'svc: secrets of authenticator apps',
  passkeys: 'svc: challenges of passkeys',
  oidc: 'svc: sign-ins through the provider',
} as const
const version = 'v1'
const nonceBytes = 12
const tagBytes = 16

/** A key for `seal` and `unseal`. */
export type SealKey = Uint8Array

export const sealKeyOf = (secret: string, purpose: keyof typeof purposes = 'channels'): SealKey =>
  new Uint8Array(hkdfSync('sha256', secret, '', purposes[purpose], 32))

/**
 * Encrypts a text. `owner` names what the encrypted text belongs to, such as the id of its row; with another owner, the
 * text cannot be decrypted.
 */
export function seal(key: SealKey, owner: string, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const encrypt = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  encrypt.setAAD(Buffer.from(owner))
  const body = Buffer.concat([encrypt.update(text, 'utf8'), encrypt.final()])
  return `${version}.${Buffer.concat([nonce, body, encrypt.getAuthTag()]).toString('base64url')}`
}

/** Decrypts a text; undefined if it was encrypted with another key or for another owner, or was changed afterwards. */
export function unseal(key: SealKey, owner: string, sealed: string): string | undefined {
  const [form, text = ''] = sealed.split('.')
  const bytes = Buffer.from(text, 'base64url')
  if (form !== version || bytes.length < nonceBytes + tagBytes) return undefined
  const decrypt = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decrypt.setAAD(Buffer.from(owner))
  decrypt.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const body = decrypt.update(bytes.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([body, decrypt.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
