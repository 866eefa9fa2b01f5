/**
 * Makes HTTP requests to receivers and reads their answers. Each request has a separate connection and deadline,
 * follows no redirect, and reads at most 64 KB, so that a slow or hostile receiver affects nothing else.
 */
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { foreignLine } from '@svc/protocol'
import { type AttemptLimits, attemptCall, errorWords, tryMs } from './attempt.ts'
import type { ChannelRequest } from './channels/call.ts'
import { lookupOf } from './names/names.ts'
import type { DeliveryAnswer, TryResult } from './outbox.ts'
import type { AllowedNetworks } from './target.ts'
import { httpAgentFor, readTarget, TargetRefused } from './target.ts'

const answerMax = 64 * 1024
/** The maximum number of bytes of an answer that are kept to be shown. */
const maxShown = 1000
/** The milliseconds for which the body of an answer is read. The status counts, whatever happens to the body. */
const bodyMs = 3000

/** Sends a message to a receiver. This never throws: an error is also a result, and outbox.ts judges all results. */
export async function sendMessage(
  call: ChannelRequest,
  { allowed, ...limits }: AttemptLimits & { allowed: AllowedNetworks },
): Promise<TryResult> {
  const target = readTarget(call.url, allowed)
  if (!target.ok) return { is: 'refused', message: target.message }
  // `httpAgentFor` is called inside `tryCall`, because it throws an error if the address may not be called.
  return tryCall(async (signal) => {
    const lookup = lookupOf(limits, signal)
    const agent = httpAgentFor(target.value, allowed, lookup)
    return exchange(target.value, call, { agent, lookup, signal })
  }, limits)
}

/**
 * Calls an address that the operator set. Unlike the address of a channel, it may be in any network. This never throws.
 */
export const ping = (url: string, limits: AttemptLimits = {}): Promise<TryResult> =>
  tryCall(async (signal) => {
    const by = { agent: false, lookup: lookupOf(limits, signal), signal } as const
    return exchange(new URL(url), { method: 'GET', headers: {}, body: '' }, by)
  }, limits)

/** Makes a call with a deadline, and converts its end, also an error, to the result of a try. This never throws. */
export async function tryCall(
  call: (signal: AbortSignal) => Promise<DeliveryAnswer>,
  limits: AttemptLimits,
): Promise<TryResult> {
  const attempted = await attemptCall(call, limits)
  if (attempted.is === 'done') return attempted.value
  if (attempted.is === 'stopped') return { is: 'stopped' }
  if (attempted.is === 'late')
    return { is: 'unreachable', message: `No answer within ${(limits.withinMs ?? tryMs) / 1000} s.` }
  const { error } = attempted
  return error instanceof TargetRefused
    ? { is: 'refused', message: error.message }
    : { is: 'unreachable', message: errorWords(error) }
}

/**
 * Makes a request. An agent looks the name up, refuses addresses that may not be called, and is closed afterwards. If
 * `agent` is false, `lookup` looks the name up and no address is refused.
 */
function exchange(
  url: URL,
  { method, headers, body }: Omit<ChannelRequest, 'url' | 'method'> & { method: string },
  { agent, lookup, signal }: { agent: Agent | false; lookup: LookupFunction; signal: AbortSignal },
): Promise<DeliveryAnswer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const sized = { ...headers, 'content-length': String(bytes.length), connection: 'close' }
  const { promise, resolve, reject } = Promise.withResolvers<DeliveryAnswer>()
  const sent = request(url, { method, headers: sized, agent, signal, ...(!agent && { lookup }) })
  let status: IncomingMessage | undefined
  // Once the status has arrived, an error no longer fails the request; it only ends the reading of the answer's body.
  const failed = (error: Error) => {
    if (!status) reject(error)
  }
  sent.on('error', failed)
  sent.once('close', () => failed(new Error('The receiver closed the connection without an answer.')))
  sent.once('upgrade', (response, socket) => {
    status = response
    socket.destroy()
    resolve(answerOf(response, url, ''))
  })
  sent.once('response', (response) => {
    status = response
    void readBeginning(response).then((text) => resolve(answerOf(response, url, text)))
  })
  sent.end(bytes)
  return promise.finally(() => {
    sent.destroy()
    if (agent) agent.destroy()
  })
}

/** Reads an answer. The status counts even if the body of the answer breaks off or arrives too late. */
function answerOf({ statusCode: status = 0, headers }: IncomingMessage, url: URL, text: string): DeliveryAnswer {
  const moved = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', url.href) : null
  return {
    is: 'status',
    status,
    retryAfter: headers['retry-after'],
    message: foreignLine(text, maxShown),
    ...(moved && { redirect: moved.href }),
  }
}

/** The beginning of the body of an answer, as text. A character that was cut at the end is left out. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  const enough = setTimeout(() => response.destroy(), bodyMs)
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      if (bytes < maxShown) pieces.push(piece)
      bytes += piece.length
      if (bytes > answerMax) break
    }
  } catch {
    // The connection broke off; the bytes that have arrived are used.
  } finally {
    clearTimeout(enough)
  }
  const beginning = Buffer.concat(pieces).subarray(0, maxShown)
  return new TextDecoder('utf-8').decode(beginning, { stream: bytes > maxShown })
}
