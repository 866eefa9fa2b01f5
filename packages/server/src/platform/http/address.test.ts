import { expect, test } from 'vitest'
import { addressesIn, callerKey, plainAddress, readAddresses, readForwardedHop } from './address.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7\t', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['203.0.113.7:', '203.0.113.7'],
  ['203.0.113.7:_http', '203.0.113.7'],
  ['"203.0.113.7"', '203.0.113.7'],
  ['"203.0.113.7:51234"', '203.0.113.7'],
  ['[203.0.113.7]:443', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['2001:0DB8:0:0::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['"[2001:db8::7]:443"', '2001:db8::7'],
  ['[2001:db8::7]:_http', '2001:db8::7'],
  ['2001:db8:1:2:3:4:5:6:443', '2001:db8:1:2:3:4:5:6'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['fe80::7%eth0', 'fe80::7'],
  ['[fe80::7%25eth0]:443', 'fe80::7'],
  ['', undefined],
  ['unknown', undefined],
  ['_hidden', undefined],
  ['_hidden:443', undefined],
  ['svc.example.org', undefined],
  ['localhost:80', undefined],
  ['010.0.0.1', undefined],
  ['203.0.113.7:http', undefined],
  ['203.0.113.7 203.0.113.8', undefined],
  ['[203.0.113.7', undefined],
  ['[2001:db8::7]443', undefined],
  ['for=203.0.113.7', undefined],
])('the entry %s of X-Forwarded-For names %s (D81)', (entry, address) => expect(readForwardedHop(entry)).toBe(address))

test.each([
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['', ''],
])('a socket that shows %s has the address %s', (shown, address) => expect(plainAddress(shown)).toBe(address))

test.each([
  ['10.0.0.1, ::1', ['10.0.0.1', '::1'], '10.0.0.1'],
  ['172.31.87.0/24', ['172.31.87.0/24'], '172.31.87.9'],
  ['::ffff:10.0.0.1', ['10.0.0.1'], '10.0.0.1'],
  ['[2001:DB8:0::1]  2001:db8:1::/48', ['2001:db8::1', '2001:db8:1::/48'], '2001:db8:1::5'],
  ['fe80::1%eth0', ['fe80::1'], 'fe80::1'],
])('the list %s is read, and covers one of its addresses', (text, entries, covered) => {
  expect(readAddresses(text)).toEqual(entries)
  expect(addressesIn(entries)(covered)).toBe(true)
  expect(addressesIn(entries)('198.51.100.1')).toBe(false)
})

test.each(['proxy', '10.0.0.1:80', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.*'])(
  'a list with the entry %s is not understood',
  (text) => expect(readAddresses(`::1, ${text}`)).toBeUndefined(),
)

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s (D16)', (address, key) => expect(callerKey(address)).toBe(key))
