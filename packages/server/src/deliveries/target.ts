/**
 * Who may be called (I30): an address that a person typed must not lead into the network of the service. Names are judged by
 * the addresses that they have when the connection is made, so a name that changes its address afterwards gains nothing.
 */
import { lookup as dnsLookup } from 'node:dns'
import type { Agent } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import type { Verdict } from '@svc/protocol'
import ipaddr from 'ipaddr.js'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { done, refuse } from '../verdict.ts'
import type { Allowed } from './allowed.ts'

const maxUrl = 2000
const setting = 'SVC_OUTBOUND_ALLOW'

/** Reads the address of a receiver. Its host is judged too where it is an IP address in any of its spellings. */
export function readTarget(text: string, allowed: Allowed): Verdict<URL, 'address_invalid' | 'address_refused'> {
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

/** Only what is reachable for everybody on the internet may be called, and what the operator allowed. */
export function judgeAddress(address: string, allowed: Allowed, name?: string): Verdict<string, 'address_refused'> {
  const parsed = ipaddr.parse(address)
  if (allowed.some((network) => matches(parsed, network))) return done(address)
  const range = rangeOf(parsed)
  if (range === 'unicast') return done(address)
  const called = name === undefined ? address : `${name} (${address})`
  return refuse(
    'address_refused',
    `${called} is not called: it is ${ranges[range] ?? 'a reserved address'}. Whoever runs the service can allow it with ${setting}.`,
  )
}

/** Only 2000::/3 of IPv6 is public: `range` alone calls ::7f00:1 public, which is 127.0.0.1 written in hex. */
function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range()
  if (range !== 'unicast' || address.kind() === 'ipv4' || matches(address, '2000::/3')) return range
  return matches(address, '::/96') ? 'ipv4Mapped' : 'reserved'
}

/** How a range is called; every other one is a reserved address. */
const ranges: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  loopback: 'a loopback address, of the machine of the service',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  carrierGradeNat: 'a private address of a provider',
  linkLocal: 'a link-local address, at which clouds keep their metadata',
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
 * An agent for one request; throws TargetRefused where its address may not be called. Its connection is not kept, since a kept
 * one would skip the check. The agent checks each address once more, and gets those that passed here as single addresses: it
 * meets a network of the other family with a warning on standard error.
 */
export function agentFor(url: URL, allowed: Allowed, lookup: LookupFunction = dnsLookup as LookupFunction): Agent {
  const judged: string[] = []
  const host = hostOf(url)
  if (isIP(host) !== 0) judged.push(passed(judgeAddress(host, allowed)))
  const options = {
    keepAlive: false,
    maxSockets: 1,
    allowIPAddressList: judged,
    lookup: judging(lookup, allowed, judged),
  }
  return url.protocol === 'https:' ? new RequestFilteringHttpsAgent(options) : new RequestFilteringHttpAgent(options)
}

function passed(verdict: Verdict<string, string>): string {
  if (verdict.ok) return verdict.value
  throw new TargetRefused(verdict.message)
}

/** All addresses of a name must be allowed: which of them the connection takes is not known before. */
function judging(lookup: LookupFunction, allowed: Allowed, judged: string[]): LookupFunction {
  return (name, options, then) =>
    lookup(name, options, (error, found, family) => {
      if (error) return then(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      try {
        judged.push(...addresses.map((address) => passed(judgeAddress(address, allowed, name))))
      } catch (refused) {
        return then(refused as TargetRefused, found, family)
      }
      then(null, found, family)
    })
}

/** An address that may not be called; its message says which, and what allows it. */
export class TargetRefused extends Error {}

/** The host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')
