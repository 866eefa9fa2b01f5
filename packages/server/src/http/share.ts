/**
 * One client may hold a part of the connections, so that there are some for everybody else. The loopback addresses and configured proxies
 * stand for many clients and may hold all of them.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressesIn, callerKey, plainAddress } from '../web/address.ts'

/** The largest part of all connections that one address may hold. */
export const addressShare = 0.25

/** Closes what an address opens beyond `most` connections. Ask before the server listens. */
export function shareConnections(server: Server, most: number, trustedProxies: readonly string[]): void {
  const unlimited = addressesIn([...trustedProxies, '127.0.0.0/8', '::1'])
  const held = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (unlimited(address)) return
    const key = callerKey(address)
    const count = (held.get(key) ?? 0) + 1
    held.set(key, count)
    socket.once('close', () => {
      const left = (held.get(key) ?? 1) - 1
      if (left > 0) held.set(key, left)
      else held.delete(key)
    })
    if (count > most) socket.destroy()
  })
}
