/**
 * Reads the subscription of a browser in the form of `PushSubscription.toJSON()`: the address of its push service, and
 * the keys for encrypting messages.
 */
import { ECDH } from 'node:crypto'
import { isObject, type Verdict } from '@svc/protocol'
import { done, refuse } from '../platform/verdict.ts'
import type { Allowed } from './allowed.ts'
import type { Address } from './channels/call.ts'
import type { PushKeys } from './channels/push.ts'
import { readTarget } from './target.ts'

const publicKeyBytes = 65
const authBytes = 16

/** Reads a subscription as the address of a channel. The subscription's keys become the channel's secret. */
export function readSubscription(
  text: string,
  allowed: Allowed,
): Verdict<Address & { made?: undefined }, 'channel_invalid'> {
  const { endpoint, keys } = parsed(text)
  const invalid = (message: string) => refuse('channel_invalid', message)
  if (typeof endpoint !== 'string' || !isObject(keys))
    return invalid("A push channel takes a browser's subscription: JSON with endpoint, keys.p256dh and keys.auth.")
  if (!/^https:\/\//i.test(endpoint)) return invalid('The endpoint of a subscription must begin with https://.')
  const target = readTarget(endpoint, allowed)
  if (!target.ok) return invalid(target.message)
  const { p256dh, auth } = keys
  if (!isPublicKey(p256dh)) return invalid('keys.p256dh must be a public key of the curve P-256, base64url.')
  if (!hasBytes(auth, authBytes)) return invalid(`keys.auth must be ${authBytes} bytes, base64url.`)
  return done({ url: endpoint, secret: JSON.stringify({ p256dh, auth } satisfies PushKeys) })
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const hasBytes = (value: unknown, bytes: number): value is string =>
  typeof value === 'string' && /^[\w-]+$/.test(value) && Buffer.from(value, 'base64url').length === bytes

/** True for a public key that is a point on the curve. With any other value no message could be encrypted. */
function isPublicKey(value: unknown): value is string {
  if (!hasBytes(value, publicKeyBytes)) return false
  try {
    ECDH.convertKey(Buffer.from(value, 'base64url'), 'prime256v1')
    return true
  } catch {
    return false
  }
}
