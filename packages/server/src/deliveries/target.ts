/**
 * Decides which addresses the service may call (I30): an address that a person typed must not lead into the private
 * network of the service. A host name is judged by its IP addresses at the moment of the connection, so changing them
 * after an earlier check has no effect.
 */
import type { Agent } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import type { Verdict } from '@svc/protocol'
import ipaddr from 'ipaddr.js'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { done, refuse } from '../platform/verdict.ts'

/**
 * The setting SVC_OUTBOUND_ALLOW: networks in CIDR notation, or single addresses, to which alerts may be sent although
 * they are not public.
 */
export type AllowedNetworks = readonly string[]

const maxUrl = 2000
const allowSetting = 'SVC_OUTBOUND_ALLOW'

/**
 * Parses the URL that the service is asked to call. If its host is an IP address, in any notation, the IP address is
 * judged too.
 */
export function readTarget(
  text: string,
  allowed: AllowedNetworks,
): Verdict<URL, 'address_invalid' | 'address_refused'> {
  const url = URL.parse(text)
  const invalid = (wanted: string) => refuse('address_invalid', `The address must ${wanted}.`)
  if (!url || !/^https?:\/\//i.test(text))
    return invalid('begin with http:// or https://, such as https://example.org/hook')
  if (text.length > maxUrl) return invalid(`have at most ${maxUrl} characters`)
  if (url.username || url.password) return invalid('hold no user name and no password')
  const host = hostOf(url)
  if (isIP(host) === 0) return done(url)
  const verdict = judgeAddress(host, allowed)
  return verdict.ok ? done(url) : verdict
}

/** Judges an IP address. Only public addresses may be called, and those that the operator allowed. */
export function judgeAddress(
  address: string,
  allowed: AllowedNetworks,
  name?: string,
): Verdict<string, 'address_refused'> {
  const parsed = ipaddr.parse(address)
  if (allowed.some((network) => matches(parsed, network))) return done(address)
  const range = rangeOf(parsed)
  if (range === 'unicast') return done(address)
  const called = name === undefined ? address : `${name} (${address})`
  return refuse(
    'address_refused',
    `${called} is not called: it is ${rangeWords[range] ?? 'a reserved address'}. The operator of the service can allow it with ${allowSetting}.`,
  )
}

/**
 * The kind of network that an address belongs to. For IPv6 only 2000::/3 counts as public, because ipaddr.js also calls
 * ::7f00:1 public, which is another notation of 127.0.0.1.
 */
function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (platformAddresses.some((platform) => matches(address, platform))) return 'platform'
  const range = address.range()
  if (range !== 'unicast' || address.kind() === 'ipv4' || matches(address, '2000::/3')) return range
  return matches(address, '::/96') ? 'ipv4Mapped' : 'reserved'
}

/**
 * Public addresses at which a cloud offers services to the machines in it (Azure). Other clouds use link-local, private
 * or reserved addresses for these services.
 */
const platformAddresses = ['168.63.129.16'] as const

/** The words for each kind of network; an address of any other kind is called reserved. */
const rangeWords: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  loopback: 'a loopback address, of the machine of the service',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  carrierGradeNat: 'a private address of a provider',
  linkLocal: 'a link-local address, at which clouds keep their metadata',
  platform: 'the platform of a cloud, which answers only the machines that it runs',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  ipv4Mapped: 'an IPv4 address written as an IPv6 address',
  rfc6145: 'an IPv4 address written as an IPv6 address',
  rfc6052: 'an IPv4 address behind NAT64',
  '6to4': 'an IPv4 address behind 6to4',
  teredo: 'an IPv4 address behind Teredo',
}

function matches(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [base, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), undefined]
  if (base.kind() !== address.kind()) return false
  return address.match(base, bits ?? (base.kind() === 'ipv4' ? 32 : 128))
}

/**
 * Makes the HTTP agent for one request, which connects only to addresses that may be called. Throws TargetRefused if
 * the URL's host is an IP address that may not be called. If the host is a name that has such an address, the agent's
 * DNS lookup fails.
 */
export function httpAgentFor(url: URL, allowed: AllowedNetworks, lookup: LookupFunction): Agent {
  const judged: string[] = []
  const host = hostOf(url)
  if (isIP(host) !== 0) judged.push(valueOrThrow(judgeAddress(host, allowed)))
  const options = {
    // A connection that is used again would skip the check of the address.
    keepAlive: false,
    maxSockets: 1,
    // The library checks each address again. It gets addresses instead of the networks in `allowed`, because it would
    // print a warning for each IPv4 network when it checks an IPv6 address.
    allowIPAddressList: judged,
    lookup: judging(lookup, allowed, judged),
  }
  return url.protocol === 'https:' ? new RequestFilteringHttpsAgent(options) : new RequestFilteringHttpAgent(options)
}

function valueOrThrow(verdict: Verdict<string, string>): string {
  if (verdict.ok) return verdict.value
  throw new TargetRefused(verdict.message)
}

/**
 * Wraps a DNS lookup so that it fails unless all addresses of the name are allowed, because the connection may use any
 * of them.
 */
function judging(lookup: LookupFunction, allowed: AllowedNetworks, judged: string[]): LookupFunction {
  return (name, options, then) =>
    lookup(name, options, (error, found, family) => {
      if (error) return then(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      try {
        judged.push(...addresses.map((address) => valueOrThrow(judgeAddress(address, allowed, name))))
      } catch (refused) {
        return then(refused as TargetRefused, found, family)
      }
      then(null, found, family)
    })
}

/** The error for an address that may not be called. Its message names the address and the setting that can allow it. */
export class TargetRefused extends Error {}

/** The host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')
