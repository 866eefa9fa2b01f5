/** Serves `/healthz` and `/metrics` on a separate port, which only programs on this machine can reach. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { messageOf } from '../../platform/errors.ts'
import type { Health } from './health.ts'

export function opsListener(registry: Registry, health: () => Promise<Health>, version: string): Server {
  const routes: Record<string, (res: ServerResponse) => Promise<void>> = {
    '/healthz': async (res) => {
      const state = await health()
      send(res, state.ok ? 200 : 503, 'application/json', `${JSON.stringify({ ...state, version })}\n`)
    },
    '/metrics': async (res) => send(res, 200, registry.contentType, await registry.metrics()),
  }
  return createServer((req, res) => {
    const route = routes[(req.url ?? '').split('?')[0] ?? '']
    if (!route || (req.method !== 'GET' && req.method !== 'HEAD')) {
      return send(res, 404, 'text/plain', 'There is /healthz and /metrics.\n')
    }
    route(res).catch((error) => send(res, 503, 'text/plain', `${messageOf(error)}\n`))
  })
}

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  res.end(body)
}
