import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Returns a function that finds a caller's address: the socket's peer or, if the peer is a configured proxy, the
 * nearest address in `X-Forwarded-For` that is not a configured proxy (D16).
 */
export function callerAddress(trustedProxies: readonly string[]): (req: IncomingMessage) => string {
  const isTrusted = addressesIn(trustedProxies)
  return (req) => {
    let address = plainAddress(req.socket.remoteAddress ?? '')
    const hops = String(req.headers['x-forwarded-for'] ?? '').split(',')
    while (isIP(address) !== 0 && isTrusted(address)) {
      const before = plainAddress(hops.pop()?.trim() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return address
  }
}

/** Returns a function that tells if an address is one of the listed addresses, or is in one of the listed subnets. */
export function addressesIn(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    if (isIP(address) === 0) continue
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * The key under which the calls and connections of a caller are counted: an IPv4 address, or the /64 of an IPv6 address
 * (D16).
 */
export function callerKey(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail ? tail.split(':') : []
  const middle = tail === undefined ? [] : Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0')
  return `${[...start, ...middle, ...end].slice(0, 4).join(':')}::/64`
}

/** Turns an IPv4 address as an IPv6 socket shows it into the plain form, and removes the zone of an IPv6 address. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
