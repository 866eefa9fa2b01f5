/**
 * The key pair by which browsers' push services recognise this service (VAPID, RFC 8292). It is derived from the file `secret`,
 * so all nodes of a database have the same pair, and a restored backup keeps its browsers if it keeps that file.
 */
import { createECDH, hkdfSync } from 'node:crypto'
import type { SealKey } from '../seal.ts'

const purpose = 'svc: key pair of web push'
/** The order of the curve P-256. A private key is a number from 1 up to this, without it. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const keyBytes = 32
/** 16 bytes more than a key has: the remainder of the division by the order is then evenly distributed. */
const seedBytes = 48

/** Both are base64url, as browsers and `web-push` take them. */
interface Vapid {
  publicKey: string
  privateKey: string
}

export function vapidOf(key: SealKey): Vapid {
  const seed = Buffer.from(hkdfSync('sha256', key, '', purpose, seedBytes)).toString('hex')
  const scalar = (BigInt(`0x${seed}`) % (order - 1n)) + 1n
  const pair = createECDH('prime256v1')
  const privateKey = Buffer.from(scalar.toString(16).padStart(keyBytes * 2, '0'), 'hex')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
