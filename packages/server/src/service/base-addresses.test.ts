/**
 * Tests every kind of address of the service against every text that is made from it. The lines for machines are in
 * packages/dashboard/src/agents/dialogs/paste-lines.test.ts, and the issuer of authenticator apps in
 * people/factors/codes.test.ts.
 */
import { createECDH, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isEmail } from '@svc/protocol'
import { describe, expect, test } from 'vitest'
import { mailOf } from '../deliveries/channels/mail.ts'
import { push } from '../deliveries/channels/push.ts'
import { halfCookies } from '../people/accounts/half.ts'
import { linkUrl } from '../people/accounts/links.ts'
import { totpUri } from '../people/factors/codes.ts'
import { ownOrigin } from '../platform/http/origin.ts'
import { sealKeyOf } from '../platform/seal.ts'
import { configOf } from './config.ts'

/** For each address its origin, and the domain of its mails. */
const addresses: readonly (readonly [written: string, origin: string, domain: string])[] = [
  ['http://localhost:8787', 'http://localhost:8787', 'localhost'],
  ['https://svc.example.org', 'https://svc.example.org', 'svc.example.org'],
  ['HTTPS://SVC.Example.ORG:443/', 'https://svc.example.org', 'svc.example.org'],
  ['https://svc.example.org:8443', 'https://svc.example.org:8443', 'svc.example.org'],
  ['https://svc.example.org.', 'https://svc.example.org.', 'svc.example.org'],
  ['http://svc', 'http://svc', 'svc'],
  ['http://my_host:8787', 'http://my_host:8787', 'my_host'],
  ['http://10.0.0.5:8787', 'http://10.0.0.5:8787', 'localhost'],
  ['http://[::1]:8787', 'http://[::1]:8787', 'localhost'],
  ['https://[2001:DB8::7]', 'https://[2001:db8::7]', 'localhost'],
  ['https://\u00fcbersicht.example:8443', 'https://xn--bersicht-55a.example:8443', 'xn--bersicht-55a.example'],
]
const refused = ['https://svc.example.org/svc', 'https://svc.example.org/?a', 'https://ann@svc.example.org', 'svc:8787']

const text = (url: string) => ({ title: 'x', lines: [], url, level: null })
const id = '0193-delivery'

describe.each(addresses)('with the address %s', (written, origin, domain) => {
  const { baseUrl, mailFrom } = configOf({ SVC_BASE_URL: written }, '/')

  test('the origin has one form, and links begin with it', () => {
    expect(baseUrl).toBe(origin)
    const link = new URL(linkUrl(baseUrl, 'forgot', 'token'))
    expect([link.origin, link.search]).toEqual([origin, '?token=token'])
  })

  test('mails have a sender, an id and headers in the forms of mails', () => {
    expect([mailFrom, isEmail(mailFrom) || domain === 'localhost' || domain === 'svc']).toEqual([`svc@${domain}`, true])
    const { messageId, headers } = mailOf({
      id,
      text: text(baseUrl),
      baseUrl,
      settingsUrl: `${baseUrl}/w/north/alerts`,
    })
    expect(messageId).toMatch(/^<[\w-]+@(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])>$/)
    expect(headers['List-Unsubscribe']).toBe(`<${origin}/w/north/alerts>`)
  })

  test('the makers of browsers get an address at which they may reach the operator', async () => {
    const key = sealKeyOf('a secret of at least thirty-two characters')
    const keys = {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    }
    const address = { url: 'https://push.example.org/one', secret: JSON.stringify(keys) }
    const delivery = { id, text: text(`${baseUrl}/w/north`), body: '{}', at: 0 }
    const { headers } = await push(address, delivery, key)
    const [, claims = ''] = /t=[^.]+\.([^.]+)\./.exec(headers.authorization ?? '') ?? []
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    expect(sub).toBe(origin.startsWith('https:') ? origin : `mailto:svc@${domain}`)
  })

  test('an app reads one issuer and the account', () => {
    const uri = new URL(totpUri('JBSWY3DPEHPK3PXP', { email: 'ann@example.org', host: new URL(baseUrl).host }))
    const [issuer, account, more] = decodeURIComponent(uri.pathname.slice(1)).split(':')
    expect([issuer, account, more]).toEqual([uri.searchParams.get('issuer'), 'ann@example.org', undefined])
  })

  test('requests of browsers at this address are answered, and those for another port are not', () => {
    const own = ownOrigin(baseUrl, [])
    const answers = (host: string) => own({ url: '/', headers: { host } } as IncomingMessage) !== undefined
    const { host, hostname, port, protocol } = new URL(origin)
    expect(answers(host)).toBe(true)
    expect(answers(`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`)).toBe(true)
    expect(answers(`${hostname}:9`)).toBe(false)
  })

  test('cookies belong to this host alone, and are sent only over TLS where it has TLS', () => {
    const isHttps = origin.startsWith('https:')
    const cookie = halfCookies(origin).set('token')
    expect(cookie).not.toMatch(/domain=/i)
    expect([cookie.startsWith('__Host-'), cookie.includes('Secure')]).toEqual([isHttps, isHttps])
  })
})

test.each(refused)('the address %s is refused, with what is accepted', (written) => {
  expect(() => configOf({ SVC_BASE_URL: written }, '/')).toThrow(/^SVC_BASE_URL must be .* origin without a path/)
})
