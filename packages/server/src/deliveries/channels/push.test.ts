import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { pushService, signedClaims } from '../../../testing/push-service.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { readSubscription } from '../reading.ts'
import { sendMessage } from '../send.ts'
import type { Delivery, MessageText } from './call.ts'
import { push } from './push.ts'
import { vapidOf } from './vapid.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const allowed = ['127.0.0.0/8']
const alert = { type: 'alert.opened', data: { id: '0193-alert' } }
const link = 'https://svc.example.org/w/north/agents/mail-triage'
const delivery = (more: Partial<MessageText> = {}, body: object = alert): Delivery => ({
  id: '0193-delivery',
  text: {
    title: 'mail-triage has been offline for 10 minutes',
    lines: ['Workspace north. Level Bad, since 13:51 UTC.'],
    url: link,
    level: 'bad',
    ...more,
  },
  body: JSON.stringify(body),
  at: Date.now(),
})

async function pushed(what: Delivery) {
  const browser = await pushService()
  try {
    const address = readSubscription(JSON.stringify(browser.subscription), allowed)
    if (!address.ok) throw new Error(address.message)
    const answer = await sendMessage(await push(address.value, what, key), { allowed })
    return { answer, seen: browser.seen[0], endpoint: browser.subscription.endpoint }
  } finally {
    await browser.close()
  }
}

test('a browser decrypts the message, and its push service knows who sent it', async () => {
  const { answer, seen, endpoint } = await pushed(delivery())
  expect(answer).toMatchObject({ is: 'status', status: 201 })
  expect(seen?.message).toEqual({
    title: 'mail-triage has been offline for 10 minutes',
    body: 'Workspace north. Level Bad, since 13:51 UTC.',
    tag: '0193-alert',
    url: link,
  })
  expect(seen?.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    ttl: '86400',
    urgency: 'high',
    topic: '0193alert',
  })
  const { claims, publicKey } = signedClaims(seen?.headers.authorization)
  expect(publicKey).toBe(vapidOf(key).publicKey)
  expect(claims).toMatchObject({ aud: new URL(endpoint).origin, sub: 'https://svc.example.org' })
})

test('a message about several alerts has the tag of its delivery, and one about one alert has that of the alert', async () => {
  const tagOf = async (alerts: object[]) =>
    (await pushed(delivery({}, { type: 'alerts', data: { alerts } }))).seen?.message.tag
  expect(await tagOf([alert])).toBe('0193-alert')
  expect(await tagOf([alert, { type: 'alert.ended', data: { id: 'another' } }])).toBe('0193-delivery')
  expect(await tagOf([{ type: 'test', data: { workspace: 'north' } }])).toBe('0193-delivery')
})

test('a text of any length and any character fits into what push services take', async () => {
  for (const piece of ['\u0001', '"', '😀', '\ud800', 'l']) {
    const long = piece.repeat(5000)
    const call = await push(subscribed(), delivery({ title: long, lines: [long] }), key)
    expect(call.body.length).toBeLessThanOrEqual(4096)
    for (const value of Object.values(call.headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
  }
})

test('a service without https names no address of its own that nobody could reach', async () => {
  const call = await push(subscribed(), delivery({ url: 'http://localhost:8787/w/north/alerts' }), key)
  expect(signedClaims(call.headers.authorization).claims.sub).toBe('mailto:svc@localhost')
})

test('the key pair comes from the secret: the same on every node, another with another secret', () => {
  const pair = vapidOf(key)
  expect(vapidOf(sealKeyOf('a secret of at least thirty-two characters'))).toEqual(pair)
  expect(vapidOf(sealKeyOf('another secret of thirty-two characters')).publicKey).not.toBe(pair.publicKey)
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(pair.privateKey, 'base64url')
  expect(curve.getPublicKey('base64url')).toBe(pair.publicKey)
})

const auth = Buffer.alloc(16, 7).toString('base64url')
const p256dh = createECDH('prime256v1').generateKeys('base64url')
const endpoint = 'https://push.example.org/send/abc'
const subscribed = () => ({ url: endpoint, secret: JSON.stringify({ p256dh, auth }) })

test('a subscription as browsers give it is read', () => {
  const text = JSON.stringify({ endpoint, expirationTime: null, keys: { p256dh, auth } })
  expect(readSubscription(text, [])).toEqual({ ok: true, value: subscribed() })
})

test.each<[string, unknown, string]>([
  ['no JSON', 'x', "takes a browser's subscription"],
  ['without an endpoint', { keys: { p256dh, auth } }, 'JSON with endpoint'],
  ['without keys', { endpoint }, 'JSON with endpoint'],
  ['over http', { endpoint: 'http://push.example.org/', keys: { p256dh, auth } }, 'must begin with https://'],
  ['into the network of the service', { endpoint: 'https://10.0.0.1/', keys: { p256dh, auth } }, 'SVC_OUTBOUND_ALLOW'],
  ['with a key that is too short', { endpoint, keys: { p256dh: auth, auth } }, 'a public key of the curve P-256'],
  [
    'with a key beside the curve',
    { endpoint, keys: { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth } },
    'P-256',
  ],
  ['with a short secret', { endpoint, keys: { p256dh, auth: 'AAAA' } }, '16 bytes'],
])('a subscription %s is refused', (_how, given, says) => {
  const read = readSubscription(typeof given === 'string' ? given : JSON.stringify(given), [])
  expect(read.ok ? '' : read.message).toContain(says)
})
