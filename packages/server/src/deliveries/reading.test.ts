import { expect, test } from 'vitest'
import { isSigningSecret, newSigningSecret } from './channels/webhook.ts'
import { type ChannelWanted, readChannel } from './reading.ts'

const read = (more: Partial<ChannelWanted>) =>
  readChannel(
    { name: 'ops', kind: 'webhook', url: 'https://example.org/hook?x=1', ...more },
    { allowed: [], mails: true },
  )
const made = (more: Partial<ChannelWanted>) => {
  const verdict = read(more)
  if (!verdict.ok) throw new Error(verdict.message)
  return verdict.value
}
const bare = { url: undefined, to: undefined, secret: undefined }

test('a webhook without a secret gets one, which is shown once', () => {
  const { made: secret, address, shown, format } = made({})
  expect(isSigningSecret(secret ?? '')).toBe(true)
  expect(address).toEqual({ url: 'https://example.org/hook?x=1', secret })
  expect([shown, format]).toEqual(['https://example.org/hook?…', 'grouped'])
})

test('an email channel is refused while the service sends no mail, and the sentence names the setting', () => {
  const wanted = { name: 'ops', kind: 'email', to: 'ops@example.org' }
  expect(readChannel(wanted, { allowed: [], mails: false })).toMatchObject({
    ok: false,
    message: expect.stringContaining('SVC_SMTP_URL'),
  })
})

test('a secret that was given is taken and not shown again', () => {
  const secret = newSigningSecret()
  expect(made({ secret: `${secret}\n` })).toMatchObject({ made: undefined, address: { secret } })
})

test.each<[string, Partial<ChannelWanted>]>([
  ['slack', { url: 'https://hooks.slack.com/services/T0/B0/x' }],
  ['discord', { url: 'https://discord.com/api/webhooks/1/x' }],
  ['teams', { url: 'https://example.webhook.office.com/x' }],
  ['apprise', { url: 'https://apprise.example.org/notify/KEY' }],
  ['ntfy', { url: 'https://ntfy.example.org:8443/TOPIC?auth=x' }],
])('the address of a %s channel is a secret, of which only the host is shown', (kind, more) => {
  expect(made({ kind, ...more }).shown).toBe(`${new URL(more.url ?? '').origin}/…`)
})

test.each<[string, Partial<ChannelWanted>]>([
  ['email', { ...bare, to: 'ops@example.org' }],
  ['telegram', { ...bare, to: '-100123', secret: '1:abc' }],
  ['telegram', { to: '-100123', secret: '1:abc' }],
  ['pushover', { ...bare, to: 'u1', secret: 'tok-9' }],
  ['matrix', { to: '!room:example.org', secret: 'tok-9' }],
  ['gotify', { secret: 'tok-9' }],
  ['ntfy', {}],
  ['ntfy', { secret: 'tk_1' }],
])('a channel of the kind %s takes %o', (kind, more) => {
  const { address, shown } = made({ kind, ...more })
  expect(address.secret).toBe(more.secret)
  expect(shown).not.toContain(more.secret ?? 'nothing')
})

test.each<[Partial<ChannelWanted>, string]>([
  [{ name: 'Ops!' }, "A channel's name has lowercase letters"],
  [{ name: '' }, "A channel's name has"],
  [{ kind: 'sms' }, 'The kind must be one of webhook, email'],
  [{ format: 'xml' }, 'The format must be single or grouped: got "xml"'],
  [{ url: undefined }, 'A channel of the kind webhook needs an address (--url)'],
  [{ to: 'x' }, 'takes no recipient'],
  [{ secret: 'whsec_short' }, 'A signing secret is whsec_ and the base64 of 24 to 64 bytes'],
  [{ url: 'example.org' }, 'must begin with http:// or https://'],
  [{ url: 'http://169.254.169.254/' }, 'SVC_OUTBOUND_ALLOW'],
  [{ kind: 'email', ...bare }, 'needs an email address (--to)'],
  [{ kind: 'email', ...bare, to: 'a@example.org, b@example.org' }, 'looks like name@example.org'],
  [{ kind: 'email', ...bare, to: 'op\u200bs@example.org' }, 'holds an invisible character, U+200B, after op'],
  [{ kind: 'gotify', secret: 'ab\u2060c' }, 'holds an invisible character, U+2060, after 2 characters'],
  [{ url: 'https://example.org/ho\u00adok' }, 'holds an invisible character, U+00AD, after 22 characters'],
  [{ kind: 'email', to: 'ops@example.org' }, 'takes no address (--url)'],
  [{ kind: 'telegram', to: '1' }, 'needs a token on standard input'],
  [{ kind: 'telegram', secret: '1:a' }, 'needs a chat (--to)'],
  [{ kind: 'telegram', to: '1 2', secret: '1:a' }, 'must be one word'],
  [{ kind: 'gotify', secret: 'a b' }, 'A token is one word'],
  [{ kind: 'slack', secret: 'x' }, 'takes no token'],
  [{ kind: 'push', ...bare, secret: '{}' }, "takes a browser's subscription"],
  [{ kind: 'push', secret: '{}' }, 'takes no address (--url)'],
])('a channel %o is refused', (more, says) => {
  const verdict = read(more)
  expect(verdict.ok ? '' : verdict.message).toContain(says)
})

test('what was pasted around the parts of a channel is removed, and an address is stored in lower case', () => {
  const hook = made({ name: '\u200bops', url: ' https://example.org/hook\u2060' })
  expect([hook.name, hook.address.url]).toEqual(['ops', 'https://example.org/hook'])
  expect(made({ kind: 'email', ...bare, to: 'Ju\u0308rgen@Example.org\ufeff' }).address.to).toBe('jürgen@example.org')
})

test('the address of an account is taken as it is stored', () => {
  const account = 'bob@example.org\u200b'
  const read = readChannel({ name: 'me', kind: 'email' }, { allowed: [], mails: true, account })
  expect(read).toMatchObject({ ok: true, value: { address: { to: account } } })
})
