/**
 * Starts to listen. Node accepts one connection per listening socket in a turn of its event loop, so thousands of
 * agents that connect at once would wait for seconds. The port of the service therefore has several sockets.
 */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, BoundSocket, createServer, type ListenOptions, type Server as SocketServer } from 'node:net'
import { ConfigError, isCode } from '../errors.ts'

/**
 * The maximum number of connections that wait on a listening socket while the service is busy; the system may allow
 * fewer. A client that finds no room tries again a second later.
 */
const backlog = 4096
/** The number of listening sockets. On Linux the system spreads new connections over them. */
const sockets = process.platform === 'linux' ? 32 : 1

interface ListenAddress {
  port: number
  host: string
  /** The setting with which a person can choose another port, for the message of an error. */
  how: string
}

/** Listens on one socket. Throws a ConfigError for problems that a person must fix. */
export async function listen(
  server: SocketServer,
  { port, host, how }: ListenAddress,
  more?: ListenOptions,
): Promise<void> {
  try {
    server.listen({ port, host, backlog, ...more })
    await once(server, 'listening')
  } catch (error) {
    throw portError(error, { port, host, how })
  }
}

/**
 * Listens on `count` sockets of the same port. Returns all but the server's own socket; they must be closed together
 * with the server. Throws a ConfigError for problems that a person must fix.
 */
export async function listenWide(
  server: Server,
  where: ListenAddress,
  count = sockets,
): Promise<readonly SocketServer[]> {
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
 * Throws if another program uses the port. Two services of the same user could otherwise share the port. The test
 * socket is bound without listening, so that no client connects to it.
 */
function refuseIfTaken(address: string, where: ListenAddress): void {
  try {
    new BoundSocket({ host: address, port: where.port }).close()
  } catch (error) {
    throw portError(error, where)
  }
}

/** A further socket that passes its connections to the server, and has the server's limit of connections. */
function feeding(server: Server): SocketServer {
  const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
  return Object.defineProperty(other, 'maxConnections', { get: () => server.maxConnections })
}

function portError(error: unknown, { port, host, how }: ListenAddress): unknown {
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
