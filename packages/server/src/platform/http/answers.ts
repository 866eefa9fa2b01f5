/**
 * Sends the JSON responses of the routes that the listener calls directly, and refusals as errors (7). Caches never
 * store them (D56).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpStatusOf, type RefusalCode, refusalJson, refusals } from '@svc/protocol'
import { endAfterReading } from './body.ts'

/** Sends a response with this JSON text as its body, unless a response was started already. */
export function respondWithJson(res: ServerResponse, status: number, body: string, ...more: string[]): void {
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, headersOf(body, more))
  res.end(body)
}

/** Sends a refusal as a JSON error and keeps the connection open. */
export function sendRefusal(res: ServerResponse, code: RefusalCode, message?: string, retryAfter?: number): void {
  respondWithJson(res, httpStatusOf(code), refusalBody(code, message), ...retry(retryAfter))
}

/** Sends a refusal as a JSON error and closes the connection, since the body of the request was not read to its end. */
export function refuseAndClose(
  req: IncomingMessage,
  res: ServerResponse,
  code: RefusalCode,
  { retryAfter, message, body = refusalBody(code, message) }: RefusalOptions = {},
): void {
  if (res.headersSent || res.destroyed) return
  res.writeHead(httpStatusOf(code), headersOf(body, ['Connection', 'close', ...retry(retryAfter)]))
  endAfterReading(req, res, body)
}

interface RefusalOptions {
  retryAfter?: number | undefined
  message?: string
  /** The whole body, for a refusal that says more than its code and message. */
  body?: string
}

/** Refuses a request with 503 and a random time to wait (D18). */
export function refuseAsBusy(res: ServerResponse): void {
  sendRefusal(res, 'unavailable', undefined, jitteredDelay())
}

/**
 * The seconds that a client should wait before its next try. They are random, so that agents do not all try again at
 * the same time.
 */
export const jitteredDelay = (): number => 5 + Math.floor(Math.random() * 26)

export const refusalBody = (code: RefusalCode, message?: string): string =>
  JSON.stringify(refusalJson(code, message ?? refusals[code][1]))

const retry = (seconds: number | undefined): string[] => (seconds === undefined ? [] : ['Retry-After', String(seconds)])

const headersOf = (body: string, more: string[]): string[] => [
  'Content-Type',
  'application/json',
  'Content-Length',
  String(Buffer.byteLength(body)),
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  ...more,
]
