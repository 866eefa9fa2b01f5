import { InputRefused, type Reader } from '@svc/api'
import { isShallow, limits, readJson } from '@svc/protocol'
import type { Context } from 'hono'
import { type ArrivingBodies, arrivingBodies } from '../../platform/http/arrivals.ts'
import { announcesTooMuch, continueIfAsked } from '../../platform/http/body.ts'
import { Refusal, type WebCode } from '../../platform/refusal.ts'
import type { WebEnv } from './guards.ts'

/** The default limit of a request's body in bytes. The page never sends more than a few settings in one request. */
const usualMaxBytes = 64 * 1024
/**
 * A body that is too large is read and discarded up to this many bytes, so that the client gets the refusal instead of
 * a connection reset.
 */
const maxDrainedBytes = 1024 * 1024

/** Reads the JSON body of a request with `reader`. A refusal names the field that is wrong. */
export async function readInputBody<T>(
  c: Context<WebEnv>,
  reader: Reader<T, unknown>,
  largest: number = usualMaxBytes,
  all = arrivingBodies,
): Promise<T> {
  const type = c.req.header('content-type') ?? ''
  // Only JSON is accepted, because a page of another site cannot send this content type without a preflight request.
  // Together with the check of the origin this protects against CSRF.
  if (!/^application\/json\b/i.test(type)) {
    throw new Refusal('body_invalid', 'The body must be JSON, with Content-Type: application/json.')
  }
  const json = readJson(await readBytes(c, largest, all))
  if (!json.ok) throw new Refusal('body_invalid', json.message)
  if (!isShallow(json.value)) {
    throw new Refusal('body_invalid', `The body must not be nested deeper than ${limits.depth} levels.`)
  }
  return applyReader(reader, json.value)
}

/** Reads the JSON of a request as its operation expects it. */
export const bodyFor = <T>(
  c: Context<WebEnv>,
  operation: { input: Reader<T, unknown> | undefined; maxBytes?: number },
): Promise<T> => {
  if (!operation.input) throw new Error('This operation takes no body.')
  return readInputBody(c, operation.input, operation.maxBytes)
}

/** Applies a reader to a value; the refusal names the field that is wrong. */
export function applyReader<T>(reader: Reader<T, unknown>, value: unknown): T {
  try {
    return reader(value, '')
  } catch (error) {
    if (error instanceof InputRefused) throw new Refusal(error.code as WebCode, error.message)
    throw error
  }
}

/** Reads the body of a request, within the limits of time and memory that all requests share. */
async function readBytes(c: Context<WebEnv>, largest: number, all: ArrivingBodies): Promise<Uint8Array> {
  const { incoming, outgoing } = c.env
  if (announcesTooMuch(incoming, largest)) throw new Refusal('body_too_large')
  continueIfAsked(incoming, outgoing)
  const chunks: Uint8Array[] = []
  let size = 0
  all.begin(incoming)
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.length
      if (size <= largest) {
        chunks.push(chunk)
        all.grew(incoming, chunk.length)
      } else if (size > maxDrainedBytes) break
    }
  } catch {
    // The client closed the connection or sent too slowly.
    throw new Refusal('body_invalid', 'The body was cut off.')
  } finally {
    all.end(incoming)
  }
  if (size > largest) throw new Refusal('body_too_large')
  return Buffer.concat(chunks)
}
