/**
 * Makes the request of a webhook by Standard Webhooks 1.0; `../send.ts` sends it. The receiver can check by the
 * signature that the body comes from this service, and recognise a repeated delivery by its id.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { type ChannelRequest, type Delivery, type ReceiverAddress, requireValue, userAgentName } from './call.ts'

const secretPrefix = 'whsec_'
const secretBytes = 32
const [minBytes, maxBytes] = [24, 64]

export const newSigningSecret = (): string => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`

/** True for `whsec_` followed by the base64 of 24 to 64 bytes. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(secretPrefix)) return false
  const encoded = text.slice(secretPrefix.length)
  const key = Buffer.from(encoded, 'base64')
  return key.toString('base64') === encoded && key.length >= minBytes && key.length <= maxBytes
}

export const webhook = ({ url, secret }: ReceiverAddress, { id, body, at }: Delivery): ChannelRequest => {
  const timestamp = String(Math.floor(at / 1000))
  return {
    method: 'POST',
    url: requireValue(url, 'address'),
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgentName,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature(requireValue(secret, 'secret'), `${id}.${timestamp}.${body}`),
    },
    body,
  }
}

const signature = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
