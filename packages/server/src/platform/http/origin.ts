/** The service answers only on its configured origin (D23). */
import type { IncomingMessage } from 'node:http'
import { addressesIn, plainAddress } from './address.ts'

type OwnOrigin = (req: IncomingMessage) => string | undefined

/**
 * Returns a function that gives the path and query of a request to `baseUrl`, and undefined for a request to any other
 * address. The address is that of an absolute target, or else of `X-Forwarded-Host` if a configured proxy sent it, or
 * else of `Host`.
 */
export function ownOrigin(baseUrl: string, trustedProxies: readonly string[]): OwnOrigin {
  const { host, protocol, hostname, port, origin } = new URL(baseUrl)
  const own = new Set([host, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`])
  const isProxy = proxiesIn(trustedProxies)
  return (req) => {
    const target = req.url ?? '/'
    if (!target.startsWith('/')) return ownPath(target, origin)
    const forwarded = req.headers['x-forwarded-host']
    const named = (forwarded && isProxy(req) && lastOf(String(forwarded))) || req.headers.host
    return named !== undefined && (own.has(named) || own.has(named.toLowerCase())) ? target : undefined
  }
}

/**
 * The path and query of an absolute request target; undefined unless its whole origin, including the scheme, is the
 * service's.
 */
function ownPath(target: string, origin: string): string | undefined {
  const parsed = /^https?:\/\/[^/]/i.test(target) ? URL.parse(target) : null
  return parsed?.origin === origin ? parsed.pathname + parsed.search : undefined
}

/**
 * Returns a function that is true for a request from a trusted proxy. It remembers the answer for each peer, because
 * all requests of a proxy come from one address.
 */
function proxiesIn(trustedProxies: readonly string[]): (req: IncomingMessage) => boolean {
  if (trustedProxies.length === 0) return () => false
  const isListed = addressesIn(trustedProxies)
  const known = new Map<string, boolean>()
  return ({ socket: { remoteAddress: peer = '' } }) => {
    const before = known.get(peer)
    if (before !== undefined) return before
    if (known.size >= maxKnown) known.clear()
    const isProxy = isListed(plainAddress(peer))
    known.set(peer, isProxy)
    return isProxy
  }
}

const maxKnown = 1000

/** Returns the last host of a header with a host from each proxy. The nearest proxy wrote it. */
const lastOf = (header: string): string => header.slice(header.lastIndexOf(',') + 1).trim()
