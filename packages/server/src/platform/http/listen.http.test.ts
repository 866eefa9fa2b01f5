/**
 * Tests a port on which several sockets listen: connections, requests and the limit of connections over all sockets,
 * and a second service that is refused the same port.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { eventually } from '../../../../../testing/eventually.ts'
import { within } from '../../../../../testing/within.ts'
import { testConfig } from '../../../testing/service.ts'
import { ConfigError } from '../errors.ts'
import { connectionsOf } from './connections.ts'
import { listen, listenWide } from './listen.ts'
import { createListener, listenerLimits } from './listener.ts'

const where = { port: 0, host: '127.0.0.1', how: 'SVC_PORT' }

async function listening(server: Server, count?: number): Promise<number> {
  const others = await listenWide(server, where, count)
  afterThisTest(() => {
    for (const each of [server, ...others]) each.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

function begin(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  afterThisTest(() => socket.destroy())
  return socket
}

/** Connects `clients` clients at once, and returns the number of turns of the event loop in which any was accepted. */
async function turnsFor(clients: number, sockets: number): Promise<number> {
  const server = createServer()
  const connections = connectionsOf(server)
  const port = await listening(server, sockets)
  for (let i = 0; i < clients; i++) begin(port)
  let turns = 0
  const all = async () => {
    for (let before = 0; connections.taken < clients; before = connections.taken) {
      await setImmediate()
      if (connections.taken > before) turns++
    }
  }
  await within(() => `${clients} connections that are taken; ${connections.taken} are`, all(), 40)
  return turns
}

test.runIf(process.platform === 'linux')('several connections of a crowd are accepted in each turn', async () => {
  expect(await turnsFor(400, 1)).toBeGreaterThan(390)
  expect(await turnsFor(400, 8)).toBeLessThan(200)
})

test('a request is answered, whichever socket accepted it', async () => {
  const port = await listening(createServer((_req, res) => res.end('here')))
  const asked = Array.from({ length: 40 }, () => fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text()))
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['here']))
})

test('a second service on the port is refused with what to do, and takes no connection from the first', async () => {
  const port = await listening(createServer((_req, res) => res.end('first')))
  const second = createServer((_req, res) => res.end('second'))
  const refused = listenWide(second, { ...where, port })
  await expect(refused).rejects.toThrow(ConfigError)
  await expect(refused).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or choose another port (SVC_PORT).`,
  )
  await expect(listen(second, { ...where, port })).rejects.toThrow(ConfigError)
  expect(second.listening).toBe(false)
})

test('the limit of connections covers all sockets together', async () => {
  const server = createListener(
    { config: testConfig(), log: pino({ level: 'silent' }) },
    { agentRoutes: {}, fallback: (_req, res) => res.end() },
    listenerLimits(20),
  )
  const port = await listening(server)
  const closed = Array.from({ length: 100 }, () => once(begin(port).resume(), 'close'))
  await Promise.race(closed)
  await eventually('20 connections are open', () => expect(connectionsOf(server).open.size).toBe(20))
  expect(connectionsOf(server).taken).toBe(20)
})
