import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { limitConnectionsByAddress } from './connections.ts'

/**
 * Makes a simulated server that allows two connections per address. Returns a function that opens a connection from an
 * address.
 */
function listener(trustedProxies: string[] = []) {
  const server = new EventEmitter()
  const open = new Map<Socket, unknown>()
  limitConnectionsByAddress(server as unknown as Server, open, 2, trustedProxies)
  return (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroyed: false,
      destroy() {
        socket.destroyed = true
        socket.emit('close')
      },
    })
    open.set(socket as unknown as Socket, {})
    socket.once('close', () => open.delete(socket as unknown as Socket))
    server.emit('connection', socket)
    return socket
  }
}

test('an address may hold its share of the connections and no more, while others can still connect', () => {
  const connect = listener()
  const taken = Array.from({ length: 3 }, () => connect('203.0.113.9'))
  expect(taken.map(({ destroyed }) => destroyed)).toEqual([false, false, true])
  expect(connect('203.0.113.10').destroyed).toBe(false)
  taken[0]?.destroy()
  expect(connect('203.0.113.9').destroyed).toBe(false)
  expect(connect('::ffff:203.0.113.9').destroyed).toBe(true)
})

test('the addresses of one IPv6 network count as one client', () => {
  const connect = listener()
  const taken = ['2001:db8::1', '2001:db8::2', '2001:db8::3'].map(connect)
  expect(taken.map(({ destroyed }) => destroyed)).toEqual([false, false, true])
  expect(connect('2001:db8:0:1::1').destroyed).toBe(false)
})

test.each(['127.0.0.1', '127.0.0.8', '::1', '::ffff:127.0.0.1', '198.51.100.7'])(
  '%s may be many clients, as the loopback or a configured proxy, and is not limited',
  (address) => {
    const connect = listener(['198.51.100.7'])
    for (let i = 0; i < 10; i++) expect(connect(address).destroyed).toBe(false)
  },
)

test('connections that were open before addresses were counted are counted afterwards, every time', () => {
  const connect = listener()
  for (let round = 0; round < 3; round++) {
    const taken = ['203.0.113.9', '203.0.113.10', '203.0.113.9'].map(connect)
    expect(taken.map(({ destroyed }) => destroyed)).toEqual([false, false, false])
    expect(connect('203.0.113.9').destroyed).toBe(true)
    for (const socket of taken) socket.destroy()
  }
})
