/**
 * Sends one request to one receiver and reads its answer. Each try has a connection and a deadline of its own, follows no
 * redirect and reads no more than 64 KB, so a receiver that is slow, hostile or gone costs nobody else anything.
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
/** The part of an answer that is kept, to be shown. */
const shownMax = 1000

interface Sending {
  allowed: Allowed
  /** The service is ending. */
  signal?: AbortSignal
  timeoutMs?: number
}

/** Never throws: whatever happens is an answer, which the outbox judges. */
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
  const body = Buffer.from(call.body)
  const headers = { ...call.headers, 'content-length': String(body.length), connection: 'close' }
  return new Promise<DeliveryAnswer>((resolve, reject) => {
    let answered = false
    const sent = request(url, { method: call.method, headers, agent, signal })
    // Once the status is here, an error only ends the answer.
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

/** The status counts even where the rest of the answer breaks off or does not come in time. */
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
    // The answer is what arrived until then.
  }
  return Buffer.concat(pieces).subarray(0, shownMax).toString('utf8')
}

/** A connection to several addresses of a name fails with several errors and no message of its own. */
function wordsOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] ?? error) : error
  return messageOf(first) || 'The connection failed.'
}
