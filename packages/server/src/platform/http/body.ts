/**
 * Reads the bodies of requests piece by piece (D14, D15), so that a client whose body is above the limit gets an answer
 * instead of a broken connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { arrivingBodies } from './arrivals.ts'
import { freeBuffer } from './buffers.ts'
import { Turns } from './turns.ts'

/**
 * The maximum number of bytes of a refused body that the service reads and discards before it closes the connection. A
 * client that is still sending can see the refusal only if its bytes are read.
 */
const maxDrained = { early: 64 * 1024, tooLarge: 8 * 1024 * 1024 } as const
/** The time in milliseconds for which a connection stays open after the answer if its client is still sending. */
const lingerMs = 500

/**
 * The pace for large bodies. After the first `bytes` of a body, the rest is read in pieces of at most 64 KB. In one
 * turn of the event loop, `perTurn` pieces are read for all clients together.
 */
const largeBody = { bytes: 32 * 1024, perTurn: 4 } as const
const pieces = new Turns(largeBody.perTurn)

type Body = { is: 'whole'; bytes: Buffer } | { is: 'too_large' } | { is: 'broken' }

/**
 * Reads a body of at most `maxBytes`. A larger body is read and discarded, up to 8 MB of it; if its client waits for
 * "100 Continue", nothing is read. A client that is too slow is cut off (arrivals.ts) and counts as `broken`.
 */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  maxBytes: number,
  all = arrivingBodies,
): Promise<Body> {
  if (announcesTooMuch(req, maxBytes)) return Promise.resolve({ is: 'too_large' })
  continueIfAsked(req, res)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let ended = false
    const finish = (body: Body) => {
      if (ended) return
      ended = true
      all.end(req)
      resolve(body)
    }
    // Most bodies arrive together with their headers. Only a body that is not complete yet is tracked.
    process.nextTick(() => {
      if (!req.complete) all.begin(req, size)
    })
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) {
        chunks.push(chunk)
        if (!req.complete) all.grew(req, chunk.length)
      } else if (size > maxDrained.tooLarge) {
        req.pause()
        finish({ is: 'too_large' })
      } else chunks.length = 0
      if (size > largeBody.bytes && !req.complete && !ended) {
        req.pause()
        pieces.add(() => req.resume())
      }
    })
    req.on('end', () => {
      if (size > maxBytes) finish({ is: 'too_large' })
      else finish({ is: 'whole', bytes: joined(req, chunks, size) })
    })
    req.on('close', () => finish({ is: 'broken' }))
  })
}

/** Joins the pieces of a body. Frees the pieces if they came over a connection and nobody else reads them. */
function joined(req: IncomingMessage, chunks: readonly Buffer[], size: number): Buffer {
  if (chunks.length === 1) return chunks[0] as Buffer
  const bytes = Buffer.concat(chunks, size)
  if (req.socket && req.listenerCount('data') === 1) for (const chunk of chunks) freeBuffer(chunk)
  return bytes
}

/**
 * Reads and discards at most 64 KB of a body, so that its client sees the refusal (D15). Resolves when that much has
 * arrived, or when the body or its connection has ended.
 */
export function drainBody(req: IncomingMessage, all = arrivingBodies): Promise<void> {
  if (req.complete || waitsForContinue(req) || hasNoBody(req)) return Promise.resolve()
  return new Promise((resolve) => {
    let size = 0
    const finish = () => {
      all.end(req)
      resolve()
    }
    all.begin(req)
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxDrained.early) return
      req.pause()
      finish()
    })
    req.once('end', finish)
    req.once('error', finish)
    req.once('close', finish)
  })
}

/**
 * Sends the body of the answer. If the client is still sending its request, the connection is closed half a second
 * later, so that the client can read the answer.
 */
export function endAfterReading(req: IncomingMessage, res: ServerResponse, body: string): void {
  if (req.complete || hasNoBody(req) || waitsForContinue(req) || req.destroyed) {
    res.end(body)
    return
  }
  res.write(body)
  setTimeout(() => {
    res.end()
    req.destroy()
  }, lingerMs).unref()
}

const asked = new WeakSet<IncomingMessage>()

/** Marks a request whose client waits for "100 Continue" before it sends the body. */
export const noteExpectation = (req: IncomingMessage): void => {
  asked.add(req)
}

/** Sends "100 Continue" if the client waits for it, once for each request. */
export function continueIfAsked(req: IncomingMessage, res: ServerResponse): void {
  if (asked.delete(req)) res.writeContinue()
}

/**
 * True if the client waits for "100 Continue" to send a body that is larger than `maxBytes`, so that the request can be
 * refused before the client sends the body.
 */
export const announcesTooMuch = (req: IncomingMessage, maxBytes: number): boolean =>
  waitsForContinue(req) && Number(req.headers['content-length']) > maxBytes

/** True if the body has a content encoding other than identity; an empty header names none (4). */
export function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']
  return encoding !== undefined && !/^(?:identity)?$/i.test(encoding)
}

const waitsForContinue = (req: IncomingMessage): boolean => asked.has(req)

const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] === undefined || headers['content-length'] === '0')
