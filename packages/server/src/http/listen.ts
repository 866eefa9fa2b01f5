/**
 * Begins to listen. Node takes one connection from a listening socket in a turn of its event loop; when thousands of agents
 * connect at once and a turn takes milliseconds, they would wait for seconds. So the port of the service has several sockets.
 */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, BoundSocket, createServer, type ListenOptions, type Server as SocketServer } from 'node:net'
import { ConfigError, isCode } from '../errors.ts'

/** Connections that wait to be taken from a socket while the service is busy; the system may grant fewer. Whoever finds no room knocks again a second later. */
const backlog = 4096
/** The system spreads new connections over them. */
const sockets = process.platform === 'linux' ? 32 : 1

interface Where {
  port: number
  host: string
  /** With which setting somebody chooses another port. */
  how: string
}

/** Listens on one socket. Throws ConfigError for what a person must mend. */
export async function listen(server: SocketServer, { port, host, how }: Where, more?: ListenOptions): Promise<void> {
  try {
    server.listen({ port, host, backlog, ...more })
    await once(server, 'listening')
  } catch (error) {
    throw portError(error, { port, host, how })
  }
}

/** Listens on as many sockets as `count` says; returns those beside the server's own, which are to be closed with it. Throws ConfigError. */
export async function listenWide(server: Server, where: Where, count = sockets): Promise<readonly SocketServer[]> {
  if (count === 1) {
    await listen(server, where)
    return []
  }
  const { address } = await lookup(where.host)
  refuseIfTaken(address, where)
  await listen(server, { ...where, host: address }, { reusePort: true })
  const { port } = server.address() as AddressInfo
  const others = Array.from({ length: count - 1 }, () => feeding(server))
  try {
    for (const other of others) await listen(other, { ...where, host: address, port }, { reusePort: true })
  } catch (error) {
    for (const each of [server, ...others]) each.close()
    throw error
  }
  return others
}

/**
 * Sockets that share a port let in every program of the same user; a second service must be refused as with one socket. It is
 * bound and nothing more, so that nobody is connected to what is closed at once.
 */
function refuseIfTaken(address: string, where: Where): void {
  try {
    new BoundSocket({ host: address, port: where.port }).close()
  } catch (error) {
    throw portError(error, where)
  }
}

/** Its connections are those of the server, like its own: so is the limit of their number. */
function feeding(server: Server): SocketServer {
  const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
  return Object.defineProperty(other, 'maxConnections', { get: () => server.maxConnections })
}

function portError(error: unknown, { port, host, how }: Where): unknown {
  if (isCode(error, 'EADDRINUSE'))
    return new ConfigError(
      `Port ${port} on ${host} is in use by another program. Stop it, or choose another port (${how}).`,
    )
  if (isCode(error, 'EACCES'))
    return new ConfigError(`Port ${port} needs rights that this user does not have. Choose a port above 1023 (${how}).`)
  if (isCode(error, 'EADDRNOTAVAIL'))
    return new ConfigError(`SVC_HOST must be an address of this machine: ${host} is not.`)
  return error
}
