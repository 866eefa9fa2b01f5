import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLink } from './link.ts'

test.each([
  'http://a.example',
  'https://a.example/p?q=1#f',
  'https://a.example:8443/',
  'http://127.0.0.1/',
  'http://[::1]:80/x',
  'https://münchen.example/ü',
  'http://localhost',
  'https://a.example/@user',
  'https://a.example/?to=b@c',
  `https://a.example/${'x'.repeat(1982)}`,
])('D21: %s is a link', (text) => expect(isLink(text)).toBe(true))

test.each([
  ['another scheme', 'javascript:alert(1)'],
  ['another scheme', 'ftp://a.example/'],
  ['an upper-case prefix', 'HTTPS://a.example/'],
  ['a space before', ' https://a.example/'],
  ['no host', 'https://'],
  ['no host but a path', 'https:///path'],
  ['a port without a host', 'http://:80/'],
  ['a port out of range', 'http://a.example:70000/'],
  ['an invalid address', 'http://1.2.3.4.5/'],
  ['an invalid address in hex', 'http://9.9.9.9.0xa/'],
  ['an invalid host', 'https://a%2fb.example/'],
  ['user information', 'https://user:word@a.example/'],
  ['an empty user', 'https://@a.example/'],
  ['a space', 'https://a.example/a b'],
  ['a no-break space', 'https://a.example/a\u00a0b'],
  ['a line break', 'https://a.example/\nb'],
  ['a tab', 'https://a.example/\tb'],
  ['a control', 'https://a.example/\u0085'],
  ['a backslash', 'https://a.example\\b'],
  ['a lone surrogate', 'https://a.example/\ud83d'],
  ['more than 2000 characters', `https://a.example/${'x'.repeat(1983)}`],
  ['no text at all', ''],
])('D21: a text with %s is not a link', (_rule, text) => expect(isLink(text)).toBe(false))

test('D21: every link that is kept parses, has a host and names no user', () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string({ unit: 'binary' }).map((s) => `https://${s}`),
        fc.stringMatching(/^http:\/\/[a-z0-9.x-]{1,20}$/),
        fc.stringMatching(/^http:\/\/[a-z.]{1,8}[/?#][ -~]{1,8}$/),
      ),
      (text) => {
        if (!isLink(text)) return
        const url = new URL(text)
        expect([url.hostname !== '', url.username, url.password, text.isWellFormed()]).toEqual([true, '', '', true])
      },
    ),
    { numRuns: 2000 },
  ))
