/** Serves the routes for agents over real HTTP for tests, on a store and a clock of the test. */
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Answer } from '@svc/protocol'
import { pino } from 'pino'
import { type AgentApi, openAgentApi } from '../src/agent-api/open.ts'
import type { Config, Live } from '../src/platform/base.ts'
import type { Store } from '../src/platform/db/open.ts'
import { listen } from '../src/platform/http/listen.ts'
import { createListener, type ListenerLimits, listenerLimits } from '../src/platform/http/listener.ts'
import { noReleases, type Releases } from '../src/updates/releases/releases.ts'
import { send } from './send.ts'

export { type Reply, type SendOptions, send } from './send.ts'

export interface TestService extends AgentApi {
  url: string
  port: number
  live: TestLive
  /** The entries that the service logged at the levels error and fatal. */
  errors: unknown[]
  /** Returns the number of HTTP connections that clients have open to the service under test. */
  connections: () => Promise<number>
  stop: () => Promise<void>
}

/** Replaces the live hub in tests: it only records the notifications that would go to open pages. */
export interface TestLive extends Live {
  heard: { what: 'reported' | 'changed' | 'list' | 'alerts'; workspaceId: string; agentId?: string }[]
  watched: Set<string>
}

export function testLive(): TestLive {
  const heard: TestLive['heard'] = []
  const watched = new Set<string>()
  return {
    heard,
    watched,
    reported: (workspaceId, agentId) => heard.push({ what: 'reported', workspaceId, agentId }),
    changed: (workspaceId, agentId) => heard.push({ what: 'changed', workspaceId, agentId }),
    listChanged: (workspaceId) => heard.push({ what: 'list', workspaceId }),
    alertsChanged: (workspaceId) => heard.push({ what: 'alerts', workspaceId }),
    rightsChanged: async () => {},
    isWatched: (agentId) => watched.has(agentId),
  }
}

export const testConfig = (more: Partial<Config> = {}): Config => ({
  baseUrl: 'http://localhost:8787',
  host: '127.0.0.1',
  port: 0,
  dataDir: '',
  databaseUrl: undefined,
  trustedProxies: [],
  outboundAllow: [],
  smtpUrl: undefined,
  mailFrom: 'svc@localhost',
  heartbeatUrl: undefined,
  metricsPort: 0,
  metricsFleet: false,
  metricsAgents: 5000,
  logLevel: 'silent',
  securityContact: undefined,
  passwordForm: 'scrypt',
  releaseDir: '',
  version: '0.0.0',
  ...more,
})

export interface ServiceOptions {
  now?: () => number
  monotonic?: () => number
  config?: Partial<Config>
  /** The runtime releases that the service serves; by default none. */
  releases?: Releases
  limits?: Partial<ListenerLimits>
}

export async function startService(store: Store, options: ServiceOptions = {}): Promise<TestService> {
  const live = testLive()
  const errors: unknown[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(JSON.parse(line)) })
  const now = options.now ?? Date.now
  const config = testConfig(options.config)
  const releases = options.releases ?? noReleases
  const agents = openAgentApi({ store, config, log, live, releases, now }, options.monotonic)
  const server = createListener(
    { config, log },
    {
      agentRoutes: agents.routes,
      fallback: (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/plain' }).end('a page')
      },
    },
    { ...listenerLimits(), ...options.limits },
  )
  await listen(server, { port: 0, host: '127.0.0.1', how: '' })
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await agents.close()
  }
  const connections = () => promisify(server.getConnections.bind(server))()
  return { ...agents, url: `http://127.0.0.1:${port}`, port, live, errors, connections, stop }
}

/** Sends a report and returns the service's answer; throws when the service refuses the report. */
export async function report(
  service: { port: number },
  token: string,
  parts: Record<string, unknown> = {},
): Promise<Answer> {
  const reply = await send(service, { token, body: JSON.stringify({ protocol: 1, ...parts }) })
  if (reply.status !== 200) throw new Error(`The report was refused with ${reply.status}: ${reply.text}`)
  return reply.json as Answer
}

/** The parts of a report with which an agent offers every control and one setting, for tests of commands. */
export const offering = {
  controls: ['pause', 'resume', 'run_now'],
  settings: { schema: [{ key: 'every', type: 'number', min: 1, max: 120 }], values: { every: 10 } },
  active: [{ kind: 'work', log: 'work' }],
}
