import type { LookupAddress } from 'node:dns'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { readAddresses } from '../platform/http/address.ts'
import { httpAgentFor, judgeAddress, readTarget } from './target.ts'

/** Starts an HTTP server on this machine that counts its requests. */
async function receiver() {
  const seen = { visits: 0, port: 0 }
  const server = createServer((_request, response) => {
    seen.visits++
    response.end('here')
  })
  afterThisTest(() => new Promise((closed) => server.close(closed)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  seen.port = (server.address() as AddressInfo).port
  return seen
}

type LookedUp = (error: null, found: string | LookupAddress[], family?: number) => void
/** A DNS lookup that returns these addresses one after the other, and then always the last one. */
const names = (...addresses: string[]) =>
  ((_name: string, options: { all?: boolean }, then: LookedUp) => {
    const address = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? ''
    const family = address.includes(':') ? 6 : 4
    if (options.all) then(null, [{ address, family }])
    else then(null, address, family)
  }) as unknown as Parameters<typeof httpAgentFor>[2]

const call = (url: string, allowed: string[], lookup = names('127.0.0.1')) =>
  new Promise<string>((resolve, reject) => {
    const target = new URL(url)
    const agent = httpAgentFor(target, allowed, lookup)
    get(target, { agent }, (response) => {
      response.resume().on('end', () => resolve(`${response.statusCode}`))
    }).on('error', reject)
  })

test.each([
  ['http://127.0.0.1/', 'loopback'],
  ['http://127.1/', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://0x7f000001/', 'loopback'],
  ['http://0x7f.0.0.1/', 'loopback'],
  ['http://0177.0.0.01/', 'loopback'],
  ['http://１２７.0.0.1/', 'loopback'],
  ['http://127.0.0.1./', 'loopback'],
  ['http://0.0.0.0/', 'unspecified'],
  ['http://0/', 'unspecified'],
  ['http://10.0.0.1/', 'private'],
  ['http://172.31.255.255/', 'private'],
  ['http://192.168.1.1/', 'private'],
  ['http://100.64.0.1/', 'private address of a provider'],
  ['http://169.254.169.254/', 'metadata'],
  ['http://168.63.129.16/', 'the platform of a cloud'],
  ['http://0xa83f8110/', 'the platform of a cloud'],
  ['http://192.0.0.192/', 'reserved'],
  ['http://198.18.0.1/', 'reserved'],
  ['http://224.0.0.1/', 'multicast'],
  ['http://255.255.255.255/', 'broadcast'],
  ['http://240.0.0.1/', 'reserved'],
  ['http://[::1]/', 'loopback'],
  ['http://[::]/', 'unspecified'],
  ['http://[::ffff:127.0.0.1]/', 'written as an IPv6 address'],
  ['http://[::ffff:8.8.8.8]/', 'written as an IPv6 address'],
  ['http://[::127.0.0.1]/', 'written as an IPv6 address'],
  ['http://[::7f00:1]/', 'written as an IPv6 address'],
  ['http://[4000::1]/', 'reserved'],
  ['http://[::ffff:0:127.0.0.1]/', 'written as an IPv6 address'],
  ['http://[64:ff9b::7f00:1]/', 'NAT64'],
  ['http://[64:ff9b:1::a9fe:a9fe]/', 'NAT64'],
  ['http://[2002:7f00:1::]/', '6to4'],
  ['http://[2001::1]/', 'Teredo'],
  ['http://[fe80::1]/', 'link-local'],
  ['http://[fc00::1]/', 'private'],
  ['http://[fd00:ec2::254]/', 'private'],
  ['http://[fec0::1]/', 'private'],
  ['http://[ff02::1]/', 'multicast'],
])('%s is refused, with the reason and the setting that allows it', (url, reason) => {
  const verdict = readTarget(url, [])
  expect(verdict).toMatchObject({ ok: false, code: 'address_refused' })
  const message = verdict.ok ? '' : verdict.message
  expect(message).toContain(reason)
  expect(message).toContain('SVC_OUTBOUND_ALLOW')
})

test.each([
  'https://8.8.8.8/hook',
  'http://[2606:4700::1111]:8080/',
  'https://example.org/hook?x=1',
  'HTTPS://EXAMPLE.org',
])('%s may be called', (url) => expect(readTarget(url, []).ok).toBe(true))

test.each([
  '',
  'example.org',
  'ftp://example.org/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://',
  'https://ada:pw@example.org/',
  `https://example.org/${'a'.repeat(2000)}`,
])('the address "%s" is no address of a receiver', (url) =>
  expect(readTarget(url, [])).toMatchObject({ ok: false, code: 'address_invalid' }),
)

test('networks and single addresses can be allowed, each for its own family', () => {
  const allowed = readAddresses('10.0.0.0/8, ::1  192.168.7.7') ?? []
  const judge = (address: string) => judgeAddress(address, allowed).ok
  expect(['10.1.2.3', '::1', '192.168.7.7'].map(judge)).toEqual([true, true, true])
  expect(['11.0.0.1', '127.0.0.1', '192.168.7.8', '::ffff:10.1.2.3', '8.8.8.8'].map(judge)).toEqual([
    true,
    false,
    false,
    false,
    true,
  ])
})

test.each(['10.0.0.0/33', '10.0.0.0/', 'localhost', '10.0.0/8', '::1/129', '10.0.0.0/8/8', '10.0.0.0/-1'])(
  'the network "%s" is not accepted',
  (text) => expect(readAddresses(text)).toBeUndefined(),
)

test('a name is judged by the address that it has, and the refusal names both', async () => {
  const { port } = await receiver()
  await expect(call(`http://hooks.example.org:${port}/`, [])).rejects.toThrow(
    'hooks.example.org (127.0.0.1) is not called: it is a loopback address',
  )
})

test('a host name that has a forbidden address when the connection is made is refused', async () => {
  const seen = await receiver()
  const changing = names('8.8.8.8', '127.0.0.1')
  const target = new URL(`http://hooks.example.org:${seen.port}/`)
  const first = httpAgentFor(target, [], changing)
  first.destroy()
  // The first lookup returns a public address, which a test must not call. So this line makes the first lookup, and the
  // request below makes the second.
  changing?.('hooks.example.org', { all: true }, () => {})
  await expect(call(target.href, [], changing)).rejects.toThrow('is not called')
  expect(seen.visits).toBe(0)
})

test('an IP address is refused without a look-up, and no request is sent', async () => {
  const seen = await receiver()
  const lookup = vi.fn()
  await expect(
    call(`http://127.0.0.1:${seen.port}/`, [], lookup as unknown as ReturnType<typeof names>),
  ).rejects.toThrow('is not called')
  expect(lookup).not.toHaveBeenCalled()
  expect(seen.visits).toBe(0)
})

test('an allowed network is called by name and by address, also beside one of the other family, and nothing is warned of', async () => {
  const warned = vi.spyOn(console, 'warn')
  const seen = await receiver()
  const allowed = ['fd00::/8', '127.0.0.0/8']
  expect(await call(`http://hooks.example.org:${seen.port}/`, allowed)).toBe('200')
  expect(await call(`http://127.0.0.1:${seen.port}/`, allowed)).toBe('200')
  expect(warned).not.toHaveBeenCalled()
  warned.mockRestore()
})
