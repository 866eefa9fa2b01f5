import { channelKinds } from '@svc/api'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { sealKeyOf } from '../../platform/seal.ts'
import type { ChannelRequest, Delivery, MessageText, ReceiverAddress } from './call.ts'
import { channelTraits } from './kinds.ts'
import { isSigningSecret, newSigningSecret } from './webhook.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const now = Date.now()
const url = 'https://svc.example.org/north/agents/mail-triage'
const text = (more: Partial<MessageText> = {}): MessageText => ({
  title: 'mail-triage has been offline for 10 minutes',
  lines: ['Workspace north. Level Bad, since 13:51 UTC.'],
  url,
  level: 'bad',
  ...more,
})
const delivery = (more: Partial<MessageText> = {}): Delivery => ({
  id: 'd1',
  text: text(more),
  body: '{"type":"alerts"}',
  at: now,
})
const address: ReceiverAddress = { url: 'https://chat.example.org/hook/', to: '!room:example.org', secret: 'token' }
const call = (
  kind: keyof typeof channelTraits,
  more: Partial<MessageText> = {},
  to: ReceiverAddress = address,
): ChannelRequest & { body: string } => {
  const { channel } = channelTraits[kind]
  if (!channel) throw new Error(`${kind} is not sent by HTTP.`)
  return channel(to, delivery(more), key) as ChannelRequest & { body: string }
}
const body = (kind: keyof typeof channelTraits, more: Partial<MessageText> = {}) => JSON.parse(call(kind, more).body)
/**
 * The kinds of channels whose requests can be read. Web Push is encrypted, so push.test.ts decrypts and tests it
 * separately.
 */
const readable = channelKinds.filter((kind) => channelTraits[kind].channel && kind !== 'push')
const overHttp = readable.filter((kind) => kind !== 'webhook')
const hostile =
  '<!channel> @everyone <@1> **b** [x](https://evil.example) _i_ `c` <b onclick=1> & "q"\r\nX-Evil: 1\n# h'

test('a webhook is signed as an independent verifier expects it', () => {
  const secret = newSigningSecret()
  const { headers, body: sent, method, url: to } = call('webhook', {}, { url: 'https://example.org/hook', secret })
  expect(new Webhook(secret).verify(sent, headers)).toEqual({ type: 'alerts' })
  expect([method, to, headers['webhook-id'], headers['content-type']]).toEqual([
    'POST',
    'https://example.org/hook',
    'd1',
    'application/json',
  ])
  expect(() => new Webhook(secret).verify(`${sent} `, headers)).toThrow()
  expect(() => new Webhook(newSigningSecret()).verify(sent, headers)).toThrow()
})

test('a signing secret has 24 to 64 bytes', () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  expect([of(23), of(24), of(64), of(65), newSigningSecret()].map(isSigningSecret)).toEqual([
    false,
    true,
    true,
    false,
    true,
  ])
  expect(['', 'whsec_', of(32).slice(6), `${of(32)} `, of(32).replace('B', '*')].map(isSigningSecret)).toEqual(
    Array(5).fill(false),
  )
})

test.each(overHttp)('%s is given the title, the facts and the link', (kind) => {
  const sent = call(kind)
  const all = `${sent.body} ${JSON.stringify(sent.headers)}`
  for (const part of ['mail-triage has been offline', 'since 13:51 UTC', url]) expect(all).toContain(part)
})

test.each(overHttp)('%s is given a text of any length, cut to what it takes', (kind) => {
  const sent = call(kind, { title: 't'.repeat(50_000), lines: ['l'.repeat(50_000)] })
  expect(sent.body.length).toBeLessThan(kind === 'teams' ? 120_000 : 65_000)
})

test.each(readable)('no header of %s holds what an agent wrote as it is', (kind) => {
  const { headers } = call(kind, { title: hostile, lines: [hostile] }, { ...address, secret: newSigningSecret() })
  for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
})

test('Slack reads no mention and no link in a text of an agent', () => {
  const { text: shown, ...rest } = body('slack', { lines: [hostile] })
  expect(shown).not.toMatch(/[<>]/)
  expect(shown).toContain('&lt;!channel&gt;')
  expect(shown).toContain('&amp; "q" X-Evil: 1 # h')
  expect(rest).toMatchObject({ mrkdwn: false, link_names: false })
})

test('Discord calls nobody and shows no markup of an agent', () => {
  const { content, allowed_mentions } = body('discord', { lines: [hostile] })
  expect(allowed_mentions).toEqual({ parse: [] })
  expect(content).toContain('\\<!channel\\> \\@everyone \\<\\@1\\> \\*\\*b\\*\\* \\[x\\]\\(https://evil.example\\)')
  expect(content.length).toBeLessThanOrEqual(2000)
  expect(body('discord', { lines: ['*'.repeat(3000)] }).content.length).toBeLessThanOrEqual(2000)
})

test('Telegram shows a text as it is, and takes the token in its address', () => {
  const sent = call('telegram', { lines: [hostile] }, { to: '-100', secret: '1:a' })
  expect(sent.url).toBe('https://api.telegram.org/bot1:a/sendMessage')
  expect(JSON.parse(sent.body)).not.toHaveProperty('parse_mode')
  expect(JSON.parse(sent.body).chat_id).toBe('-100')
  expect(call('telegram').url).toBe('https://chat.example.org/hook/bottoken/sendMessage')
})

test('ntfy takes a title with any character, a priority and a link', () => {
  const { headers, url: to } = call('ntfy', { title: 'über\r\nX: 1' })
  expect(headers.title).toBe(`=?UTF-8?B?${Buffer.from('über X: 1').toString('base64')}?=`)
  expect(headers).toMatchObject({ priority: '4', click: url, authorization: 'Bearer token' })
  expect(to).toBe(address.url)
  expect(call('ntfy', {}, { url: 'https://ntfy.example.org/t' }).headers).not.toHaveProperty('authorization')
})

test('Matrix gets the id of the delivery as its transaction id, so a repeated try is shown once', () => {
  const { method, url: to, headers } = call('matrix')
  expect([method, to, headers.authorization]).toEqual([
    'PUT',
    'https://chat.example.org/hook/_matrix/client/v3/rooms/!room%3Aexample.org/send/m.room.message/d1',
    'Bearer token',
  ])
})

test('Pushover, Gotify and Apprise get a priority that follows from the level', () => {
  const levels = [{ level: 'bad' }, { level: 'warn' }, { level: null }] as const
  expect(levels.map((level) => body('pushover', level).priority)).toEqual([1, 0, -1])
  expect(levels.map((level) => body('gotify', level).priority)).toEqual([8, 5, 2])
  expect(levels.map((level) => body('apprise', level).type)).toEqual(['failure', 'warning', 'success'])
  expect(call('gotify').headers['x-gotify-key']).toBe('token')
  expect(call('pushover', {}, { to: 'u', secret: 't' }).url).toBe('https://api.pushover.net/1/messages.json')
})

test('Teams shows texts of agents in runs, which know no Markdown', () => {
  const [{ content }] = body('teams', { lines: ['[x](https://evil.example)'] }).attachments
  expect(content.body.map((block: { type: string }) => block.type)).toEqual(['RichTextBlock', 'RichTextBlock'])
  expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open', url }])
})
