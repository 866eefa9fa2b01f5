/** A real mail server on this machine that keeps what it receives and misbehaves where a test asks it to. */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body as they arrived. */
  source: string
  /** True where the connection was encrypted. */
  encrypted: boolean
  user: string | undefined
}

/** Its reply after the data; `hang`: none at all, `reset`: the connection breaks. */
type Reply = 'ok' | 'hang' | 'reset' | { code: number; message: string }

interface MailboxOptions {
  /** The reply to each mail, the last one to all that follow. */
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
    // Its own certificate is good enough for a test, and it need not say so.
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
  // A client that ends its connection in the middle is what some tests are about.
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

/** A header of a mail as one line. */
export const headerOf = ({ source }: Pick<ReceivedMail, 'source'>, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(source.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim()
