/**
 * The key pair by which the push services of browsers recognise this service (VAPID, RFC 8292). The pair is derived
 * from the file `secret`, so all nodes with the same file have the same pair. After a restore, browsers still get
 * messages if the file is the same.
 */
import { createECDH, hkdfSync } from 'node:crypto'
import type { SealKey } from '../../platform/seal.ts'

const keyPurpose = 'svc: key pair of web push'
/** The order of the curve P-256. A private key is a number from 1 up to, but not including, this number. */
const curveOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const keyBytes = 32
/**
 * The number of bytes from which the private key is computed. These are 16 more than a key has, which makes all keys
 * almost equally likely.
 */
const seedBytes = 48

/** The key pair in base64url, as browsers and the library `web-push` take it. */
interface Vapid {
  publicKey: string
  privateKey: string
}

/** Derives the key pair from the secret key of the service. */
export function vapidOf(key: SealKey): Vapid {
  const seed = Buffer.from(hkdfSync('sha256', key, '', keyPurpose, seedBytes)).toString('hex')
  const scalar = (BigInt(`0x${seed}`) % (curveOrder - 1n)) + 1n
  const pair = createECDH('prime256v1')
  const privateKey = Buffer.from(scalar.toString(16).padStart(keyBytes * 2, '0'), 'hex')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
