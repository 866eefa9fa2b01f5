/**
 * One request to the service (D17, I25): a time limit over everything, name look-up included; a size limit on the answer; TLS
 * verified; no redirect followed, so the token reaches the configured origin and no other.
 */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { clean, isObject, limits } from '@svc/protocol'
import { codeOf } from '../files/durable.ts'
import type { Connection } from '../files/env.ts'
import { duration } from '../time.ts'
import { version } from '../version.ts'
import { lookup } from './lookup.ts'

export type Sent =
  | { readonly is: 'answered'; readonly status: number; readonly body: Buffer }
  /** No answer, or none that could be read. */
  | { readonly is: 'lost'; readonly why: string }

/** The connection is kept between reports (D18): a handshake costs many times a report. */
const agents = {
  'http:': new HttpAgent({ keepAlive: true, maxSockets: 2, scheduling: 'lifo' }),
  'https:': new HttpsAgent({ keepAlive: true, maxSockets: 2, scheduling: 'lifo' }),
}

/** Posts JSON. Never rejects. `seconds` limits the whole. */
export function post(
  { origin, token }: Connection,
  path: '/api/agent/v1/report' | '/api/agent/v1/log',
  json: string,
  signal: AbortSignal,
  seconds: number = limits.requestSeconds,
): Promise<Sent> {
  const body = Buffer.from(json)
  return exchange(origin, path, { method: 'POST', body, token }, signal, seconds)
}

/** Whether anything answers at the address; sends no token. */
export const knock = (origin: string, signal: AbortSignal): Promise<Sent> =>
  exchange(origin, '/cli/svc.pyz.sha256', { method: 'GET' }, signal, limits.requestSeconds)

function exchange(
  origin: string,
  path: string,
  { method, body, token }: { method: string; body?: Buffer; token?: string },
  signal: AbortSignal,
  seconds: number,
): Promise<Sent> {
  const url = new URL(path, origin)
  const secure = url.protocol === 'https:'
  return new Promise((resolve) => {
    const end = (sent: Sent) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(sent)
      if (sent.is === 'lost') request?.destroy()
    }
    const lost = (why: string) => end({ is: 'lost', why })
    const stop = () => lost('the reporter was stopped')
    const timer = setTimeout(() => lost(`no whole answer within ${seconds} s`), duration(seconds))
    signal.addEventListener('abort', stop)
    let request: ClientRequest | undefined
    if (signal.aborted) return stop()
    try {
      request = (secure ? httpsRequest : httpRequest)(url, {
        method,
        agent: agents[secure ? 'https:' : 'http:'],
        lookup,
        ...(secure && { rejectUnauthorized: true }),
        headers: {
          accept: 'application/json',
          'user-agent': `svc/${version}`,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        },
      })
    } catch (error) {
      return lost(reason(error))
    }
    request.on('error', (error) => lost(reason(error)))
    request.on('response', (response) => collect(response, end))
    request.end(body)
  })
}

function collect(response: IncomingMessage, end: (sent: Sent) => void): void {
  const parts: Buffer[] = []
  let total = 0
  response.on('data', (part: Buffer) => {
    total += part.length
    if (total > limits.answerBytes) end({ is: 'lost', why: 'the answer is larger than 1 MB' })
    else parts.push(part)
  })
  response.on('error', (error) => end({ is: 'lost', why: reason(error) }))
  response.on('aborted', () => end({ is: 'lost', why: 'the answer broke off' }))
  response.on('end', () => end({ is: 'answered', status: response.statusCode ?? 0, body: Buffer.concat(parts) }))
}

const known: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address',
  ENOTFOUND: 'the name of the service is not known',
  EAI_AGAIN: 'the name of the service could not be looked up',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'the machine of the service cannot be reached',
  ETIMEDOUT: 'the connection timed out',
}

/** Why there is no answer, as the end of a sentence. */
function reason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const code = codeOf(first) ?? codeOf(error)
  const words = code === undefined ? undefined : known[code]
  if (words) return words
  return clean(first instanceof Error && first.message ? first.message : (code ?? 'unknown error')).slice(0, 200)
}

/** What an answer that is no success says: the service's own words where it has some (7). */
export function refusalOf(status: number, body: Buffer): { code?: string; message: string } {
  if (status >= 300 && status < 400) return { message: `it answered ${status}, and redirects are not followed` }
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {}
    if (typeof error.code === 'string' && typeof error.message === 'string') {
      return { code: error.code, message: `it answered ${status}: ${clean(error.message).slice(0, 300)}` }
    }
  } catch {
    // not ours: the status has to do
  }
  return { message: `it answered ${status}` }
}
