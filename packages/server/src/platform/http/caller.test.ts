import type { IncomingMessage } from 'node:http'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { callerAddress } from './caller.ts'

/** Returns a function that finds the caller of a request, and the lines that it logged so far. */
function finder(trustedProxies: string[]) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const addressOf = callerAddress({ config: { trustedProxies }, log })
  const find = (peer: string, forwarded?: string, more = {}) =>
    addressOf({
      socket: { remoteAddress: peer },
      headers: { 'x-forwarded-for': forwarded, ...more },
    } as unknown as IncomingMessage)
  return { find, lines }
}

test.each([
  ['no proxy is configured', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['the peer is a proxy', ['127.0.0.1'], '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the peer speaks IPv6', ['127.0.0.1'], '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the caller sends invented hops', ['127.0.0.1'], '127.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['the invented hops cannot be read', ['127.0.0.1'], '127.0.0.1', 'x y, 198.51.100.1', '198.51.100.1'],
  [
    'there are two proxies in a row',
    ['127.0.0.1', '10.0.0.0/8'],
    '127.0.0.1',
    '1.1.1.1, 198.51.100.1, 10.2.3.4',
    '198.51.100.1',
  ],
  [
    'both proxies write ports',
    ['127.0.0.1', '10.0.0.0/8'],
    '127.0.0.1',
    '198.51.100.1:5000, 10.2.3.4:6000',
    '198.51.100.1',
  ],
  ['the list has empty entries', ['127.0.0.1'], '127.0.0.1', '198.51.100.1, ,', '198.51.100.1'],
  ['the proxy has an IPv6 address', ['::1'], '::1', '2001:db8::7', '2001:db8::7'],
  ['the client runs on the machine of the proxy', ['10.0.0.1'], '10.0.0.1', '10.0.0.1', '10.0.0.1'],
])("the caller's address is found when %s, without a line in the log (D16)", (_when, proxies, peer, header, caller) => {
  const { find, lines } = finder(proxies)
  expect(find(peer, header)).toBe(caller)
  expect(lines).toEqual([])
})

test.each([
  ['unknown', 'names its client in a form that is not understood'],
  ['_hidden', 'names its client in a form that is not understood'],
  ['198.51.100.1, proxy.example:80', 'names its client in a form that is not understood'],
  [undefined, 'does not name its client'],
  [' , ', 'does not name its client'],
])('a proxy that writes %s counts as the caller itself, and the log says so once an hour (D81)', (header, says) => {
  const { find, lines } = finder(['127.0.0.1'])
  for (let i = 0; i < 3; i++) expect(find('127.0.0.1', header, { forwarded: 'for=198.51.100.1' })).toBe('127.0.0.1')
  const example = header === undefined ? {} : { example: JSON.stringify(header) }
  expect(lines).toEqual([
    expect.objectContaining({ peer: '127.0.0.1', ...example, msg: expect.stringContaining(says) }),
  ])
  expect(lines[0]?.instead).toEqual(says.startsWith('does not') ? ['forwarded'] : undefined)
})

test.each([
  ['10.1.2.3', 1],
  ['::ffff:127.0.0.1', 1],
  ['fd00::1', 1],
  ['203.0.113.9', 0],
])('X-Forwarded-For of the unlisted peer %s is ignored, with %i lines in the log (D81)', (peer, times) => {
  const { find, lines } = finder(['10.0.0.1'])
  for (let i = 0; i < 3; i++) expect(find(peer, '198.51.100.1')).toBe(peer.replace('::ffff:', ''))
  expect(lines.map(({ msg }) => msg)).toEqual(
    Array<unknown>(times).fill(expect.stringContaining('is not in SVC_TRUSTED_PROXIES')),
  )
})
