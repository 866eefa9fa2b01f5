/** The service answers only on its configured origin (D23). */
import type { IncomingMessage } from 'node:http'

type OwnOrigin = (req: IncomingMessage) => string | undefined

/**
 * Returns a function that gives the path and query of a request that is addressed to `baseUrl`; undefined for any other
 * address. The address is that of an absolute target, or else of `Host`, or of `X-Forwarded-Host` if the peer is a
 * configured proxy that sends it.
 */
export function ownOrigin(baseUrl: string, trustedProxies: readonly string[]): OwnOrigin {
  const { host, protocol, hostname, port, origin } = new URL(baseUrl)
  const own = new Set([host, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`])
  const proxies = new Set(trustedProxies)
  return (req) => {
    const target = req.url ?? '/'
    if (!target.startsWith('/')) return ownPath(target, origin)
    const forwarded = proxies.size > 0 && proxies.has(peerOf(req)) ? req.headers['x-forwarded-host'] : undefined
    const named = typeof forwarded === 'string' ? forwarded : req.headers.host
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

/** The address of the socket's peer. An IPv4 address has its usual form even if the socket is an IPv6 socket. */
const peerOf = (req: IncomingMessage): string => (req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
