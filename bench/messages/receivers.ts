/**
 * The receivers of the measurement `messages`, real servers on this machine: a mail server that takes 20 s for each
 * recipient whose domain ends in `slow.test`, an HTTP receiver that answers, and one that accepts connections and says
 * nothing. Each message is known by a name, which is the recipient of a mail or the path of an address.
 */
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** The milliseconds that the mail server takes for a slow recipient. */
const slowMs = 20_000

export interface Receivers {
  /** The address of the mail server. */
  mails: string
  /** The address of the HTTP receiver that answers; the path is the name of the message. */
  good: (name: string) => string
  hanging: string
  /** The time at which the message with this name arrived; Infinity if it does not arrive within this time. */
  arrival: (name: string, withinMs: number) => Promise<number>
  close: () => void
}

export async function startReceivers(): Promise<Receivers> {
  const arrived = new Map<string, PromiseWithResolvers<number>>()
  const arrivalOf = (name: string) => {
    const found = arrived.get(name) ?? Promise.withResolvers<number>()
    arrived.set(name, found)
    return found
  }
  const note = (name: string) => arrivalOf(name).resolve(Date.now())
  const sockets = new Set<Socket>()
  const hanging = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  const good = createServer((request, response) => {
    request.resume().once('end', () => {
      note((request.url ?? '').slice(1))
      response.end()
    })
  })
  const mails = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (address.endsWith('slow.test')) setTimeout(done, slowMs)
      else done()
    },
    onData(stream, session, done) {
      stream.resume().once('end', () => {
        for (const { address } of session.envelope.rcptTo) note(address)
        done()
      })
    },
  })
  // A connection that the service gives up ends with an error here.
  mails.on('error', () => {})
  await new Promise<void>((listening) => mails.listen(0, '127.0.0.1', () => listening()))
  for (const server of [hanging, good]) await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port
  return {
    mails: `smtp://127.0.0.1:${portOf(mails.server)}`,
    good: (name) => `http://127.0.0.1:${portOf(good)}/${name}`,
    hanging: `http://127.0.0.1:${portOf(hanging)}/hook`,
    async arrival(name, withinMs) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<number>((resolve) => {
        timer = setTimeout(() => resolve(Number.POSITIVE_INFINITY), withinMs)
      })
      const at = await Promise.race([arrivalOf(name).promise, late])
      clearTimeout(timer)
      return at
    },
    close() {
      for (const socket of sockets) socket.destroy()
      hanging.close()
      good.closeAllConnections()
      good.close()
      for (const connection of mails.connections) connection._socket.destroy()
      mails.close()
    },
  }
}
