/**
 * Limits one client address to a part of the connections, so that some are left for everybody else. The loopback
 * addresses and configured proxies may be many clients, so they have no limit.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressesIn, callerKey, plainAddress } from './address.ts'

/** The largest part of all allowed connections that one address may hold. */
export const maxAddressShare = 0.25

/**
 * Makes the server close a new connection of an address that already has `max` of the `open` ones; must be called
 * before the server listens. The server reads addresses only after more than `max` connections were open in all, and
 * until at most half of `max` are: for an agent that connects again for each report, reading its address would take a
 * noticeable part of the report's time.
 */
export function limitConnectionsByAddress(
  server: Server,
  open: ReadonlyMap<Socket, unknown>,
  max: number,
  trustedProxies: readonly string[],
): void {
  const unlimited = addressesIn([...trustedProxies, '127.0.0.0/8', '::1'])
  let held: Map<string, number> | undefined
  server.on('connection', (socket: Socket) => {
    if (open.size <= max / 2) held = undefined
    if (held === undefined && open.size <= max) return
    if (held === undefined) {
      held = new Map()
      for (const one of open.keys()) if (one !== socket) count(one, held)
    }
    if (count(socket, held) > max) socket.destroy()
  })

  /**
   * Counts a connection until it closes. Returns the number of counted connections from the same address (for IPv6: the
   * same /64), this one included; 0 for an address without a limit.
   */
  function count(socket: Socket, all: Map<string, number>): number {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (unlimited(address)) return 0
    const key = callerKey(address)
    const count = (all.get(key) ?? 0) + 1
    all.set(key, count)
    socket.once('close', () => {
      const left = (all.get(key) ?? 1) - 1
      if (left > 0) all.set(key, left)
      else all.delete(key)
    })
    return count
  }
}
