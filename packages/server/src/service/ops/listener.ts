/**
 * Serves `/healthz`, `/metrics` and, if the operator wants it, `/metrics/fleet` on a separate port, which only programs
 * on this machine can reach.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Registry } from 'prom-client'
import { messageOf } from '../../platform/errors.ts'
import type { Health } from './health.ts'

interface OpsParts {
  registry: Registry
  health: () => Promise<Health>
  version: string
  /** The text of `/metrics/fleet` in pieces; undefined if it is not served. */
  fleet?: (() => Promise<readonly Uint8Array[]>) | undefined
}

export function opsListener({ registry, health, version, fleet }: OpsParts): Server {
  const routes: Record<string, (res: ServerResponse) => Promise<void>> = {
    '/healthz': async (res) => {
      const state = await health()
      send(res, state.ok ? 200 : 503, 'application/json', `${JSON.stringify({ ...state, version })}\n`)
    },
    '/metrics': async (res) => send(res, 200, registry.contentType, await registry.metrics()),
    ...(fleet && {
      '/metrics/fleet': async (res: ServerResponse) => sendPieces(res, registry.contentType, await fleet()),
    }),
  }
  const known = `There is ${Object.keys(routes)
    .join(', ')
    .replace(/, (?!.*,)/, ' and ')}.\n`
  return createServer((req, res) => {
    const route = routes[(req.url ?? '').split('?')[0] ?? '']
    if (!route || (req.method !== 'GET' && req.method !== 'HEAD')) {
      return send(res, 404, 'text/plain', known)
    }
    route(res).catch((error) => {
      // A caller may hang up in the middle of an answer.
      if (!res.headersSent) send(res, 503, 'text/plain', `${messageOf(error)}\n`)
    })
  })
}

/** Sends a long text as fast as the caller takes it. */
async function sendPieces(res: ServerResponse, type: string, pieces: readonly Uint8Array[]): Promise<void> {
  res.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' })
  await pipeline(Readable.from(pieces), res)
}

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  res.end(body)
}
