/** The service's agent side on the embedded engine, as it runs in the product, with the fleet of the measurement. */
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openAgentSide } from '../../packages/server/src/agents/side.ts'
import { hashToken } from '../../packages/server/src/agents/tokens.ts'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { openEmbedded } from '../../packages/server/src/db/open.ts'
import type { Config } from '../../packages/server/src/deps.ts'
import { createListener } from '../../packages/server/src/http/listener.ts'
import { newId } from '../../packages/server/src/ids.ts'
import { noReleases } from '../../packages/server/src/releases/releases.ts'
import { fleetSize, tokenOf } from './fleet.ts'

const store = openEmbedded(process.argv[2] ?? '')
await migrate(store)
seed()

const log = pino({ level: 'error' }, pino.destination(2))
const config = { baseUrl: 'http://localhost:8787', trustedProxies: [] as string[] } as Config
const live = { reported() {}, changed() {}, listChanged() {}, isWatched: () => false }
const side = openAgentSide({ store, config, log, live, releases: noReleases, now: Date.now })
const server = createListener(
  { config, log },
  { agentRoutes: side.routes, fallback: (_req, res) => res.writeHead(404).end() },
)
side.sweeper.start()
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.stdin.on('end', () => process.exit(0)).resume()

function seed(): void {
  if (store.engine !== 'sqlite') return
  const { sqlite } = store
  const now = Date.now()
  const workspace = newId(now)
  sqlite.exec('begin')
  sqlite
    .prepare('insert into workspace (id, name, slug, createdAt) values (?, ?, ?, ?)')
    .run(workspace, 'Bench', 'bench', '2026-01-01')
  sqlite.prepare('insert into workspace_product values (?, ?, ?)').run(workspace, 'svc', now)
  const add = sqlite.prepare(
    'insert into agent (id, workspace_id, name, token_hash, created_at) values (?, ?, ?, ?, ?)',
  )
  for (let agent = 0; agent < fleetSize; agent++) {
    add.run(newId(now), workspace, `agent-${agent}`, hashToken(tokenOf(agent)), now)
  }
  sqlite.exec('commit')
}
