/**
 * Makes one request to the service (D17, I25). One time limit covers everything, including the name look-up, and the
 * size of the answer is limited. TLS is verified and redirects are not followed, so that the token reaches only the
 * configured origin.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { SecureContext } from 'node:tls'
import { clean, foreignLine, isObject, limits, limitText } from '@svc/protocol'
import { codeOf } from '../base/errors.ts'
import { timeoutMs } from '../base/time.ts'
import { ownVersion } from '../base/version.ts'
import type { ServiceConnection } from '../files/env.ts'
import { lookup } from './lookup.ts'
import { certificateAdvice, proxyNote, secureContext, secureContextOfUnit } from './trust.ts'

/** The result of a request to the service. */
export type SendResult =
  | { readonly is: 'answered'; readonly status: number; readonly body: Buffer; readonly headers: IncomingHttpHeaders }
  /** No readable answer came. `sent` is true if a connection was established, so that the request may have arrived. */
  | { readonly is: 'lost'; readonly why: string; readonly sent: boolean; readonly tooLarge?: true }

/** The connection stays open between reports (D18), since a new TLS handshake costs many times as much as a report. */
const keptConnection = { keepAlive: true, maxSockets: 2, scheduling: 'lifo' } as const
/**
 * The connection pools with TLS (true) and without it (false). Each is created when first used, because only then
 * packed.ts loads Node's module for it, which is slow.
 */
const agents = new Map<boolean, HttpAgent>()
function agentFor(secure: boolean): HttpAgent {
  const agent = agents.get(secure) ?? (secure ? new HttpsAgent(keptConnection) : new HttpAgent(keptConnection))
  agents.set(secure, agent)
  return agent
}

/**
 * Sends JSON to the service with the agent's token, as a POST request. The promise never rejects. `seconds` limits the
 * whole request.
 */
export function postJson(
  { origin, token }: ServiceConnection,
  path: '/api/agent/v1/report' | '/api/agent/v1/log',
  json: string,
  { signal, seconds = limits.requestSeconds }: { signal: AbortSignal; seconds?: number },
): Promise<SendResult> {
  return callService(new URL(path, origin), { method: 'POST', json, token, seconds }, signal)
}

/**
 * Checks that a service answers at the address. The request carries no token. With `asUnit` it trusts only what the
 * runtime of a unit trusts.
 */
export const checkReachable = (origin: string, signal: AbortSignal, asUnit = false): Promise<SendResult> =>
  callService(new URL('/cli/svc.pyz.sha256', origin), { method: 'GET', asUnit }, signal)

interface CallOptions {
  readonly method: 'GET' | 'POST'
  readonly json?: string
  readonly token?: string
  /** The time limit in seconds for the whole request, including the name look-up. */
  readonly seconds?: number
  /** The seconds without a byte of the answer after which the request fails; no such limit if absent. */
  readonly idleSeconds?: number
  /** The maximum size of the answer in bytes. */
  readonly bytes?: number
  readonly accept?: string
  /** True to use a separate connection: a request that takes minutes must not delay a report. */
  readonly apart?: boolean
  /** True to trust only what the runtime of a unit trusts, without variables that only this process has. */
  readonly asUnit?: boolean
}

/** The options of every TLS connection: the certificate is verified, whatever the environment says. */
export function tlsOptions(asUnit = false): { rejectUnauthorized: true; secureContext?: SecureContext } {
  const context = asUnit ? secureContextOfUnit() : secureContext()
  return { rejectUnauthorized: true, ...(context && { secureContext: context }) }
}

/** Makes one request. The promise never rejects; a failure is a result. */
export function callService(
  url: URL,
  {
    method,
    json,
    token,
    seconds = limits.requestSeconds,
    idleSeconds,
    bytes = limits.answerBytes,
    accept = 'application/json',
    apart = false,
    asUnit = false,
  }: CallOptions,
  signal: AbortSignal,
): Promise<SendResult> {
  const secure = url.protocol === 'https:'
  const body = json === undefined ? undefined : Buffer.from(json)
  return new Promise((resolve) => {
    let sent = false
    const end = (result: SendResult) => {
      clearTimeout(timer)
      clearTimeout(idle)
      signal.removeEventListener('abort', stop)
      resolve(result)
      if (result.is === 'lost') request?.destroy()
    }
    const lost = (why: string, tooLarge?: true) =>
      end({ is: 'lost', why: sent ? why : `${why}${proxyNote(url)}`, sent, ...(tooLarge && { tooLarge }) })
    const stop = () => end({ is: 'lost', why: 'the reporter was stopped', sent })
    const timer = setTimeout(() => lost(`no whole answer within ${seconds} s`), timeoutMs(seconds))
    let idle: NodeJS.Timeout | undefined
    const alive = () => {
      if (idleSeconds === undefined) return
      clearTimeout(idle)
      idle = setTimeout(() => lost(`nothing came for ${idleSeconds} s`), timeoutMs(idleSeconds))
    }
    signal.addEventListener('abort', stop)
    let request: ClientRequest | undefined
    if (signal.aborted) return stop()
    try {
      request = (secure ? httpsRequest : httpRequest)(url, {
        method,
        agent: apart || asUnit ? false : agentFor(secure),
        lookup,
        ...(secure && tlsOptions(asUnit)),
        headers: {
          accept,
          'user-agent': `svc/${ownVersion}`,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        },
      })
    } catch (error) {
      return lost(noAnswerReason(error))
    }
    request.on('socket', (socket) => {
      const ready = () => {
        sent = true
      }
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', ready)
      else ready()
    })
    request.on('error', (error) => lost(noAnswerReason(error)))
    request.on('response', (response) => {
      alive()
      response.on('data', alive)
      collectBody(response, bytes, lost, end)
    })
    alive()
    request.end(body)
  })
}

function collectBody(
  response: IncomingMessage,
  maxBytes: number,
  lost: (why: string, tooLarge?: true) => void,
  end: (sent: SendResult) => void,
): void {
  const parts: Buffer[] = []
  let total = 0
  response.on('data', (part: Buffer) => {
    total += part.length
    if (total > maxBytes) lost(`the answer is larger than ${limitText(maxBytes)}`, true)
    else parts.push(part)
  })
  response.on('error', (error) => lost(noAnswerReason(error)))
  response.on('aborted', () => lost('the answer broke off'))
  response.on('end', () => {
    const { statusCode: status = 0, headers } = response
    end({ is: 'answered', status, headers, body: Buffer.concat(parts) })
  })
}

const known: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address',
  ENOTFOUND: 'the name of the service is unknown',
  EAI_AGAIN: 'the name of the service could not be looked up',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'the machine of the service cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS at this port',
  EPROTO: 'it does not speak TLS at this port',
}

/** Why no answer came, worded as the end of a sentence. */
export function noAnswerReason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const code = codeOf(first) ?? codeOf(error)
  const words = code === undefined ? undefined : known[code]
  if (words) return words
  return certificateAdvice(first) ?? plainReason(first, code)
}

const plainReason = (first: unknown, code: string | undefined): string =>
  foreignLine(clean(first instanceof Error && first.message ? first.message : (code ?? 'unknown error')))

/** The message for an answer that is not a success: the service's own words, if the answer contains them (7). */
export function refusalOf(status: number, body: Buffer): { code?: string; message: string; address?: string } {
  if (status >= 300 && status < 400) return { message: `it answered ${status}, and redirects are not followed` }
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {}
    if (typeof error.code === 'string' && typeof error.message === 'string') {
      return {
        code: error.code,
        message: `it answered ${status}: ${foreignLine(clean(error.message), 300).replace(/\.$/, '')}`,
        ...(typeof error.address === 'string' && { address: error.address }),
      }
    }
  } catch {
    // The answer is not JSON, so it is not from our service, and the message can only name its status.
  }
  return { message: `it answered ${status}` }
}
