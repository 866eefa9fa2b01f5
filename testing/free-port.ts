import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** The lowest port that is returned if there is a choice. */
const lowest = 12_000

/** The ports that this process has chosen. A program with two ports must not get the same one twice. */
const chosen = new Set<number>()

/**
 * Returns a TCP port of this machine that no program uses at the moment. If possible it is below the ports that the
 * system gives to outgoing connections. Otherwise a connection of another test could take the port of a service that a
 * test has killed and is about to start again.
 */
export async function freePort(): Promise<number> {
  const end = firstOutgoing()
  for (let tries = 0; end > lowest + 1000 && tries < 100; tries++) {
    const port = await bindOnce(lowest + Math.floor(Math.random() * (end - lowest)))
    if (port === undefined || chosen.has(port)) continue
    chosen.add(port)
    return port
  }
  return (await bindOnce(0)) ?? 0
}

/** The first port that the system gives to outgoing connections; 0 if it does not say so. */
function firstOutgoing(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  } catch {
    return 0
  }
}

/** Listens on a port for a moment and returns it; undefined if another program uses it. With 0 the system chooses. */
async function bindOnce(port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    const listening = once(server, 'listening')
    server.listen(port, '127.0.0.1')
    await listening
  } catch {
    return undefined
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : undefined
}
