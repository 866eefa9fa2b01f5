/** Reads the bodies of HTTP requests, and writes the answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Answer {
  status: number
  type: string
  body: string
  headers?: Record<string, string>
}

const refusals = {
  body_invalid: [400, 'The body is not what this call wants.'],
  token_unknown: [401, 'There is no good token with this call.'],
  scope_missing: [403, "The token's scopes and the bot's role do not cover this."],
  not_found: [404, 'There is nothing here.'],
  too_many: [409, 'The workspace has too many open tasks.'],
  body_too_large: [413, 'The body is too large.'],
  service_away: [503, 'The token cannot be checked right now. Try again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export const json = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})

export function refuse(code: keyof typeof refusals, message?: string): Answer {
  const [status, usual] = refusals[code]
  const headers = { 401: { 'www-authenticate': 'Bearer' }, 503: { 'retry-after': '5' } }[status as number]
  return { ...json(status, { error: { code, message: message ?? usual } }), ...(headers && { headers }) }
}

export function send(response: ServerResponse, { status, type, body, headers }: Answer): void {
  const usual = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  response.writeHead(status, { ...usual, ...headers }).end(body)
}

const maxBody = 64 * 1024

/** Reads the body of a request as text; undefined if it is larger than any call needs. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size <= maxBody) parts.push(part)
  }
  return size > maxBody ? undefined : Buffer.concat(parts).toString('utf8')
}
