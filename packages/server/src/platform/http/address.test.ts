import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { callerAddress, callerKey } from './address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

test.each([
  ['no proxy is configured', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['the peer is a proxy', ['127.0.0.1'], '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the peer speaks IPv6', ['127.0.0.1'], '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the caller sends invented hops', ['127.0.0.1'], '127.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  [
    'there are two proxies in a row',
    ['127.0.0.1', '10.0.0.0/8'],
    '127.0.0.1',
    '1.1.1.1, 198.51.100.1, 10.2.3.4',
    '198.51.100.1',
  ],
  ['the proxy names no address', ['127.0.0.1'], '127.0.0.1', undefined, '127.0.0.1'],
  ['the proxy names an invalid address', ['127.0.0.1'], '127.0.0.1', 'unknown', '127.0.0.1'],
  ['the proxy has an IPv6 address', ['::1'], '::1', '2001:db8::7', '2001:db8::7'],
])("the caller's address is found when %s (D16)", (_when, proxies, peer, forwarded, caller) => {
  expect(callerAddress(proxies)(from(peer, forwarded))).toBe(caller)
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s (D16)', (address, key) => expect(callerKey(address)).toBe(key))
