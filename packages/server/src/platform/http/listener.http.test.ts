import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { createListener } from './listener.ts'

test('if many requests for pages arrive at once, a few start in each turn of the event loop, so that reports get in between', async () => {
  let turn = 0
  const started: number[] = []
  const all = Promise.withResolvers<void>()
  const config = { baseUrl: 'http://localhost', trustedProxies: [] }
  const server = createListener(
    { config, log: { error: () => {} } } as unknown as Parameters<typeof createListener>[0],
    {
      agentRoutes: {},
      fallback: (_req, res) => {
        started.push(turn)
        res.end()
        if (started.length === 64) all.resolve()
      },
    },
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const counting = () => {
    turn++
    immediate = setImmediate(counting)
  }
  let immediate = setImmediate(counting)
  afterThisTest(() => {
    clearImmediate(immediate)
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  let accepted = 0
  const allAccepted = new Promise<void>((resolve) => {
    server.on('connection', () => ++accepted === 64 && resolve())
  })
  const sockets = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'))
  afterThisTest(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all([allAccepted, ...sockets.map((socket) => once(socket, 'connect'))])
  // All 64 requests are written before the event loop continues, so the system's buffers then hold the bytes of all of
  // them.
  for (const socket of sockets) socket.write('GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await all.promise
  const perTurn = started.map((one) => started.filter((other) => other === one).length)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(8)
})
