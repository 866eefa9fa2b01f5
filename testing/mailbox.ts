/**
 * Runs a real mail server on this machine for tests. It keeps the mails that it receives, and fails in the way that a
 * test asks for.
 */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface ReceivedMail {
  from: string
  to: string[]
  /** The headers and the body of the mail as they arrived. */
  source: string
  /** True if the connection was encrypted. */
  encrypted: boolean
  user: string | undefined
}

/** The reply of the server after a mail: `hang` sends none, and `reset` breaks the connection. */
type Reply = 'ok' | 'hang' | 'reset' | { code: number; message: string }

interface MailboxOptions {
  /** The replies to the mails, in order; the last one is used for all further mails. */
  replies?: Reply[]
  options?: SMTPServerOptions
}

export async function mailbox({ replies = ['ok'], options = {} }: MailboxOptions = {}) {
  const mails: ReceivedMail[] = []
  const left = [...replies]
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    // The mail server uses the test certificate of its library, and would log a warning about that.
    logger: false,
    ...options,
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        mails.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(pieces).toString('utf8'),
          encrypted: Boolean(session.secure),
          user: session.user,
        })
        const reply = (left.length > 1 ? left.shift() : left[0]) ?? 'ok'
        if (reply === 'ok') return done(null, 'kept')
        if (reply === 'hang') return
        if (reply === 'reset') return resetAll()
        done(Object.assign(new Error(reply.message), { responseCode: reply.code }))
      })
    },
  })
  const resetAll = () => {
    for (const connection of server.connections) connection._socket.destroy()
  }
  // Some tests break the connection on purpose, so errors of connections are ignored.
  server.on('error', () => {})
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()))
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        resetAll()
        server.close(() => closed())
      }),
  )
  const { port } = server.server.address() as AddressInfo
  return { mails, port, url: `smtp://127.0.0.1:${port}`, securely: `smtps://127.0.0.1:${port}` }
}

/** A header of a mail, joined to one line. */
export const headerOf = ({ source }: Pick<ReceivedMail, 'source'>, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(source.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim()

/** The text of a mail without its quoted-printable encoding. */
export const readable = (source = ''): string => source.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
