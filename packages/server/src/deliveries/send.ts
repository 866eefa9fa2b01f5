/**
 * Sends one request to one receiver and reads the answer. Each try has a separate connection and deadline, follows no
 * redirect, and reads at most 64 KB, so that a slow or hostile receiver affects nothing else.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { messageOf } from '../errors.ts'
import type { Allowed } from './allowed.ts'
import type { Call } from './channels/call.ts'
import type { DeliveryAnswer } from './outbox.ts'
import { agentFor, readTarget, TargetRefused } from './target.ts'

const timeoutMs = 15_000
const answerMax = 64 * 1024
/** The maximum number of bytes of an answer that are kept to be shown. */
const shownMax = 1000

interface Sending {
  allowed: Allowed
  /** Aborts the request; the service triggers this signal when it stops. */
  signal?: AbortSignal
  timeoutMs?: number
}

/** Sends a request. This never throws: an error is also a result, and outbox.ts judges all results. */
export async function send(
  call: Call,
  { allowed, signal, timeoutMs: within = timeoutMs }: Sending,
): Promise<DeliveryAnswer> {
  const target = readTarget(call.url, allowed)
  if (!target.ok) return { is: 'refused', message: target.message }
  const deadline = AbortSignal.timeout(within)
  try {
    return await exchange(call, target.value, allowed, signal ? AbortSignal.any([deadline, signal]) : deadline)
  } catch (error) {
    if (error instanceof TargetRefused) return { is: 'refused', message: error.message }
    return { is: 'unreachable', message: deadline.aborted ? `No answer within ${within / 1000} s.` : wordsOf(error) }
  }
}

function exchange(call: Call, url: URL, allowed: Allowed, signal: AbortSignal): Promise<DeliveryAnswer> {
  const agent = agentFor(url, allowed)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const body = typeof call.body === 'string' ? Buffer.from(call.body) : call.body
  const headers = { ...call.headers, 'content-length': String(body.length), connection: 'close' }
  return new Promise<DeliveryAnswer>((resolve, reject) => {
    let answered = false
    const sent = request(url, { method: call.method, headers, agent, signal })
    // Once the status has arrived, an error no longer fails the request; it only ends the reading of the answer's body.
    sent.on('error', (error) => {
      if (!answered) reject(error)
    })
    sent.once('response', (response) => {
      answered = true
      readAnswer(response).then(resolve, reject)
    })
    sent.end(body)
  }).finally(() => agent.destroy())
}

/** Reads an answer. The status counts even if the body of the answer breaks off or arrives too late. */
async function readAnswer(response: IncomingMessage): Promise<DeliveryAnswer> {
  const { statusCode: status = 0, headers } = response
  return { is: 'status', status, retryAfter: headers['retry-after'], message: await beginningOf(response) }
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      if (bytes < shownMax) pieces.push(piece)
      bytes += piece.length
      if (bytes > answerMax) break
    }
  } catch {
    // The connection broke off; the bytes that have arrived are used.
  }
  return Buffer.concat(pieces).subarray(0, shownMax).toString('utf8')
}

/**
 * The message of a connection error. If a host name has several addresses and all fail, Node throws one error that has
 * no message and contains the errors of all addresses; the first of these is then used.
 */
function wordsOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] ?? error) : error
  return messageOf(first) || 'The connection failed.'
}
