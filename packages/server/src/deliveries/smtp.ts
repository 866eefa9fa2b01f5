/**
 * Sends mails through the mail server that the operator set with SVC_SMTP_URL. Unlike the address of a channel, the
 * mail server may be in any network. Each try has a separate connection and deadline.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { foreignLine } from '@svc/protocol'
import { type AttemptLimits, tryMs } from './attempt.ts'
import type { Mail } from './channels/mail.ts'
import { lookupOf } from './names/names.ts'
import type { DeliveryAnswer, TryResult } from './outbox.ts'
import { wrongRecipient } from './recipient.ts'
import { tryCall } from './send.ts'

const maxReplyBytes = 1000

interface SmtpServer {
  host: string
  port: number
  /**
   * True if TLS starts with the connection. Otherwise TLS starts with the command STARTTLS, if the server offers that
   * command.
   */
  secure: boolean
  login: { user: string; pass: string } | undefined
}

/** Reads `smtp://` or `smtps://` with an optional user name and password; undefined for anything else. */
export function readSmtpUrl(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\//i.test(text) ? URL.parse(text) : null
  if (!url?.hostname || url.search || url.hash || !['', '/'].includes(url.pathname)) return undefined
  const [user, pass] = [url.username, url.password].map(decodeText)
  if (user === undefined || pass === undefined || (user === '') !== (pass === '')) return undefined
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    login: user === '' ? undefined : { user, pass },
  }
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

interface SmtpSettings {
  smtpUrl: string
  mailFrom: string
}

/**
 * Sends one mail. This never throws: an error of the connection, or a refusal by the server, is also a result, and
 * outbox.ts judges it.
 */
export async function sendMail(
  { smtpUrl, mailFrom }: SmtpSettings,
  to: string,
  mail: Mail,
  limits: AttemptLimits = {},
): Promise<TryResult> {
  const server = readSmtpUrl(smtpUrl)
  if (!server) return { is: 'refused', message: 'SVC_SMTP_URL is not an address of a mail server.' }
  const wrong = wrongRecipient(to)
  if (wrong !== undefined) return { is: 'refused', message: wrong }
  return tryCall((signal) => {
    const by = { within: limits.withinMs ?? tryMs, lookup: lookupOf(limits, signal), signal }
    return handOver(server, { mailFrom, to, mail }, by)
  }, limits)
}

/** Hands a mail over to the mail server, and returns the server's reply. Throws if there is none. */
async function handOver(
  server: SmtpServer,
  { mailFrom, to, mail }: { mailFrom: string; to: string; mail: Mail },
  { within, lookup, signal }: { within: number; lookup: LookupFunction; signal: AbortSignal },
): Promise<DeliveryAnswer> {
  // The library nodemailer is loaded at the first mail, because a service that sends no mails does not need it.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...optionsOf(server, within), getSocket: connecting(server, lookup, signal) })
  try {
    const { subject, text, html, headers, messageId } = mail
    const sent = await transport.sendMail({
      from: mailFrom,
      to: { name: '', address: to },
      subject,
      text,
      html,
      headers,
      messageId,
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    })
    return answerOf(sent.response)
  } catch (error) {
    const { response, code } = error as { response?: unknown; code?: unknown }
    // If STARTTLS failed, the server's last response is not its answer to the mail, so the message of the error is used
    // instead.
    if (code !== 'ETLS' && typeof response === 'string' && /^[45]\d\d/.test(response)) return answerOf(response)
    throw error
  } finally {
    transport.close()
  }
}

/**
 * The options of the connection to the mail server. A password is only sent encrypted, except to a server on this
 * machine.
 */
const optionsOf = ({ host, port, secure, login }: SmtpServer, within: number) => ({
  host,
  port,
  secure,
  ...(login && { auth: login }),
  requireTLS: login !== undefined && !secure && !isLoopback(host),
  // The certificate of a mail server on this machine is not checked, because no authority signs it.
  ...(isLoopback(host) && { tls: { rejectUnauthorized: false } }),
  connectionTimeout: within,
  greetingTimeout: within,
  socketTimeout: within,
  socketCloseTimeout: 0,
})

type ConnectCallback = (error: Error | null, connected?: { connection: Socket }) => void

/** Connects to the mail server in place of nodemailer, whose look-up of the name could not be aborted. */
const connecting =
  ({ host, port }: SmtpServer, lookup: LookupFunction, signal: AbortSignal) =>
  (_options: unknown, then: ConnectCallback): void => {
    const connection = connect({ host, port, lookup, signal, autoSelectFamily: true })
    const failed = (error: Error) => then(error)
    connection.once('error', failed).once('connect', () => {
      connection.off('error', failed)
      then(null, { connection })
    })
  }

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Reads the reply of a mail server, such as `250 2.0.0 queued` or `450 4.2.1 try later`, as the result of a try. */
const answerOf = (reply: string): DeliveryAnswer => ({
  is: 'status',
  status: Number(reply.slice(0, 3)) || 250,
  retryAfter: undefined,
  message: foreignLine(reply.slice(4), maxReplyBytes),
})
