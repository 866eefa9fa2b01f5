/**
 * Finds the network address of the client behind a request (D16, D81). If it cannot be found, the request counts for
 * the address of the proxy, so that all clients share the limits of one address. The log says so once an hour, with an
 * example.
 */
import type { IncomingMessage } from 'node:http'
import { shown } from '@svc/protocol'
import type { Logger } from 'pino'
import type { Config } from '../base.ts'
import { addressesIn, plainAddress, readForwardedHop } from './address.ts'
import { createLogLimit } from './requests.ts'

type AddressOf = (req: IncomingMessage) => string
interface CallerNeeds {
  config: Pick<Config, 'trustedProxies'>
  log: Pick<Logger, 'warn'>
}

const quietMs = 60 * 60 * 1000

const known = new WeakMap<CallerNeeds['config'], AddressOf>()

/**
 * Returns a function that finds a caller's address: the socket's peer or, if the peer is a configured proxy, the
 * nearest address in `X-Forwarded-For` that is not a configured proxy. All parts of the service share one function, so
 * that its log lines are limited together.
 */
export function callerAddress(needs: CallerNeeds): AddressOf {
  const addressOfCaller = known.get(needs.config) ?? newCallerAddress(needs)
  known.set(needs.config, addressOfCaller)
  return addressOfCaller
}

function newCallerAddress({ config, log }: CallerNeeds): AddressOf {
  const isProxy = addressesIn(config.trustedProxies)
  const quiet = { unread: createLogLimit(quietMs), missing: createLogLimit(quietMs), unlisted: createLogLimit(quietMs) }
  return (req) => {
    const peer = plainAddress(req.socket.remoteAddress ?? '')
    const given = req.headers['x-forwarded-for']
    const header = given === undefined ? undefined : String(given)
    const { address, problem } = callerOf(peer, header, isProxy)
    if (problem && quiet[problem](performance.now()) !== undefined) {
      const example = header === undefined ? undefined : shown(header)
      log.warn({ peer, example, header: 'X-Forwarded-For', ...(problem === 'missing' && others(req)) }, words[problem])
    }
    return address
  }
}

type Problem = 'unread' | 'missing' | 'unlisted'

const words: Readonly<Record<Problem, string>> = {
  unread:
    'a proxy names its client in a form that is not understood: such requests count as requests of the proxy itself, and share its limits (docs/operate.md, "Behind a proxy")',
  missing:
    'a proxy of SVC_TRUSTED_PROXIES does not name its client: such requests count as requests of the proxy itself, and share its limits (docs/operate.md, "Behind a proxy")',
  unlisted:
    'a proxy that is not in SVC_TRUSTED_PROXIES names its client, which is ignored: requests count as requests of the proxy itself, and share its limits (docs/operate.md, "Behind a proxy")',
}

interface FoundCaller {
  address: string
  /** The reason why the address may be that of a proxy instead of the client. */
  problem?: Problem
}

/** The address of the caller whose request came from `peer` with this `X-Forwarded-For`. */
function callerOf(peer: string, header: string | undefined, isProxy: (address: string) => boolean): FoundCaller {
  if (!isProxy(peer)) return { address: peer, ...(header?.trim() && isInside(peer) && { problem: 'unlisted' }) }
  const hops = (header ?? '').split(',').filter((hop) => hop.trim())
  if (hops.length === 0) return { address: peer, problem: 'missing' }
  let address = peer
  while (isProxy(address) && hops.length > 0) {
    const before = readForwardedHop(hops.pop() ?? '')
    if (before === undefined) return { address, problem: 'unread' }
    address = before
  }
  return { address }
}

/**
 * True if an address belongs to this machine or to a private network. Such a peer is probably a proxy, while anybody on
 * the internet may send the header.
 */
const isInside = addressesIn([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
])

/** The names of other headers in which the proxy may name its client. The service does not read these headers. */
function others({ headers }: IncomingMessage): { instead?: string[] } {
  const instead = ['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip'].filter(
    (name) => headers[name] !== undefined,
  )
  return instead.length > 0 ? { instead } : {}
}
