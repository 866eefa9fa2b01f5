/** Network addresses as sockets, proxies and settings write them. */
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/**
 * Reads one entry of `X-Forwarded-For`: an address, also with a port, in brackets, in quotation marks or with a zone.
 * Undefined if the entry names no address, such as `unknown` or `_hidden` (RFC 7239, 6.2 and 6.3).
 */
export function readForwardedHop(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
  const [, inBrackets, before] = hopForm.exec(bare) ?? []
  const address = plainAddress(inBrackets ?? before ?? bare)
  return isIP(address) === 0 ? undefined : address
}

/**
 * `[IPv6]` with or without a port, `IPv4:port`, and the eight groups of an IPv6 address with a ninth for the port. The
 * port may also be a name such as `:_http`.
 */
const hopForm =
  /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+(?=:)|(?:[\da-f]{1,4}:){7}[\da-f]{1,4}(?=:)))(?::(?:\d{0,5}|_[\w.-]+))?$/i

/**
 * The usual form of an address: IPv4 for `::ffff:10.0.0.1`, and otherwise IPv6 in lower case, with the longest run of
 * zeros left out, and without a zone. Any other text is returned as it is.
 */
export function plainAddress(address: string): string {
  if (isIPv4(address) || !isIPv6(address)) return address
  const plain = new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' }).address
  return plain.replace(/^::ffff:(?=\d+\.)/, '')
}

/** Reads a list of addresses and networks such as `10.0.0.0/8`; undefined if an entry is neither. */
export function readAddresses(text: string): string[] | undefined {
  const entries: string[] = []
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [address = '', bits, ...more] = entry.split('/')
    const plain = plainAddress(address.replace(/^\[(.*)\]$/, '$1'))
    if (isIP(plain) === 0 || more.length > 0) return undefined
    if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(plain) ? 32 : 128))) return undefined
    entries.push(bits === undefined ? plain : `${plain}/${bits}`)
  }
  return entries
}

/** Returns a function that is true for an address in one of these entries of `readAddresses`. */
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
 * The key under which the calls and connections of an address are counted: an IPv4 address, or the /64 of an IPv6
 * address (D16).
 */
export function callerKey(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail ? tail.split(':') : []
  const middle = tail === undefined ? [] : Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0')
  return `${[...start, ...middle, ...end].slice(0, 4).join(':')}::/64`
}
