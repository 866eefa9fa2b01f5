/**
 * Starts the whole service behind its listener for tests, assembled as in `src/service/service.ts`, on a store of the
 * test and with its log in memory.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openAgentApi } from '../src/agent-api/open.ts'
import { openAuth, warmUpAuth } from '../src/people/accounts/auth.ts'
import type { Store } from '../src/platform/db/open.ts'
import { createListener, type ListenerLimits, listenerLimits } from '../src/platform/http/listener.ts'
import { logRequests } from '../src/platform/http/requests.ts'
import { openReleases } from '../src/updates/releases/releases.ts'
import { webApp } from '../src/web/app.ts'
import { createLive } from '../src/web/live/hub.ts'
import { testConfig } from './service.ts'

export interface WholeService {
  port: number
  /** The lines of the log at the level `info` and above. */
  lines: string[]
  stop: () => Promise<void>
}

export interface WholeOptions {
  now?: () => number
  baseUrl?: string
  proxies?: string[]
  limits?: Partial<ListenerLimits>
}

export async function startWhole(store: Store, options: WholeOptions = {}): Promise<WholeService> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-whole-'))
  const { now = Date.now, baseUrl = 'http://localhost:8787' } = options
  const config = testConfig({
    baseUrl,
    dataDir: dir,
    releaseDir: join(dir, 'cli'),
    trustedProxies: options.proxies ?? [],
    outboundAllow: [],
    smtpUrl: undefined,
    mailFrom: 'svc@localhost',
    heartbeatUrl: undefined,
  })
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const live = createLive({ store, log, now })
  const auth = openAuth(store, { baseUrl, secret: 'a secret of the tests, long enough' })
  await warmUpAuth(auth)
  const releases = await openReleases({ store, config, log, now, changed: live.releaseChanged })
  const deps = { store, auth, config, log, live, now, releases }
  const agents = openAgentApi(deps)
  const { listener } = webApp({ ...deps, pageDir: join(dir, 'page'), helpDir: join(dir, 'help') })
  const server = createListener(
    deps,
    { agentRoutes: agents.routes, fallback: listener },
    { ...listenerLimits(), ...options.limits },
  )
  logRequests(server, log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    async stop() {
      await live.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await agents.close()
      await releases.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Sends these bytes on a new connection; returns everything that was received until the service closed it. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  let said = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    said += chunk
  })
  socket.on('error', () => {})
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  return said
}
