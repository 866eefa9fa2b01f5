/** Runs the routes for agents as a separate process, for tests that kill it: `serve.ts STORE` prints its port. */
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openAgentApi } from '../src/agent-api/open.ts'
import { openEmbedded, openPostgres } from '../src/platform/db/open.ts'
import { createListener } from '../src/platform/http/listener.ts'
import { createSweeper } from '../src/service/sweeper/sweeper.ts'
import { noReleases } from '../src/updates/releases/releases.ts'
import { testConfig, testLive } from './service.ts'

const where = process.argv[2] ?? ''
const store = where.startsWith('postgres:') ? openPostgres(where) : openEmbedded(where)
const config = testConfig()
const log = pino({ level: 'error' }, pino.destination(2))
const deps = { store, config, log, live: testLive(), releases: noReleases, now: Date.now }
const agents = openAgentApi(deps)
const server = createListener(
  { config, log },
  { agentRoutes: agents.routes, fallback: (_req, res) => res.writeHead(404).end() },
)
createSweeper(deps, agents.age).start()
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.stdin.on('end', () => process.exit(0)).resume()
