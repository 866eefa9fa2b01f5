/**
 * Measures how many commands per second agents claim and acknowledge through one node, and through two nodes on the
 * same PostgreSQL, which syncs every commit. Checks that each command was delivered exactly once.
 *
 *   npm run bench -- nodes [commands]    the number of commands, by default 1000000
 */
import { Agent, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import pg from 'pg'
import { maxPendingCommands } from '../packages/server/src/fleet/commands/store.ts'
import { openPostgres } from '../packages/server/src/platform/db/open.ts'
import { hashToken, newToken } from '../packages/server/src/platform/tokens.ts'
import { type Cluster, openCluster } from '../packages/server/testing/storm/cluster.ts'
import { addWorkspace } from '../packages/server/testing/test-workspace.ts'
import { atExit } from '../testing/at-exit.ts'
import { count, fixed, table } from './common/table.ts'
import { cpuSeconds, cpuSecondsOfAll } from './common/usage.ts'

/** The maximum number of commands of each agent: the service allows an agent no more pending commands. */
const perAgent = maxPendingCommands
const connections = 64
const perAnswer = 20

interface NodesMeasurement {
  nodes: number
  seconds: number
  reports: number
  ids: number
  duplicates: number
  lost: number
  nodeCpu: number
  databaseCpu: number
  loadCpu: number
}

export async function benchNodes([commands = '1000000']: string[]): Promise<string> {
  const wanted = Number(commands)
  if (!Number.isSafeInteger(wanted) || wanted < perAnswer) throw new Error(`How many commands? got ${commands}`)
  const cluster = await openCluster(2, { durable: true })
  atExit(() => {
    for (const node of cluster.nodes) node.process?.child.kill('SIGKILL')
  })
  try {
    const version = await one(cluster, 'select split_part(version(), $1, 2) as value', [' '])
    const all = [await measure(cluster, 1, wanted), await measure(cluster, 2, wanted)]
    const rows = all.map((m) => [
      m.nodes,
      count(m.ids),
      m.duplicates,
      m.lost,
      fixed(m.seconds),
      count(m.ids / m.seconds),
      count(m.reports / m.seconds),
      fixed(m.nodeCpu / m.seconds, 2),
      fixed(m.databaseCpu / m.seconds, 2),
      fixed(m.loadCpu / m.seconds, 2),
    ])
    const headings = [
      'nodes',
      'handed out',
      'twice',
      'lost',
      's',
      'commands/s',
      'reports/s',
      'cores of nodes',
      'of PostgreSQL',
      'of the load',
    ]
    const [first, second] = all
    const ratio = first && second ? second.ids / second.seconds / (first.ids / first.seconds) : Number.NaN
    return `PostgreSQL ${version}, ${connections} connections, at most ${perAnswer} commands in an answer.\n\n${table(headings, rows)}\n\nTwo nodes gave ${fixed(ratio, 2)} × the throughput of one; nodes, database and load share this machine's cores.`
  } finally {
    await cluster.stop()
  }
}

interface AskingAgent {
  token: string
  reports: number
  /** The commands in the agent's last answer. Its next report acknowledges them. */
  claimed: string[]
}

async function measure(cluster: Cluster, nodes: number, commands: number): Promise<NodesMeasurement> {
  const database = cluster.postgres.pid
  if (database === undefined) throw new Error('PostgreSQL does not run.')
  const agents = await prepare(cluster.url, `w${nodes}`, commands)
  const ids = new Set<string>()
  let answered = 0
  let reports = 0
  const pids = cluster.nodes.map((node) => node.process?.child.pid ?? 0)
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  const [nodesBefore, databaseBefore, loadBefore] = [cpu(), cpuSecondsOfAll(database), cpuSeconds(process.pid)]
  const from = performance.now()
  let turn = 0
  /**
   * Sends reports on one connection, for one agent of the list after the other. An agent whose answer had commands is
   * added to the list again, since its next report acknowledges them. The function ends when the list is used up.
   */
  const ask = async (connection: Agent) => {
    for (let agent = agents[turn++]; agent; agent = agents[turn++]) {
      const node = cluster.nodes[agent.reports++ % nodes]
      const claimed = await report(node?.home.env.SVC_PORT ?? '', agent, connection)
      reports++
      answered += claimed.length
      for (const id of claimed) ids.add(id)
      agent.claimed = claimed
      if (claimed.length > 0) agents.push(agent)
    }
  }
  await Promise.all(Array.from({ length: connections }, () => ask(new Agent({ keepAlive: true, maxSockets: 1 }))))
  const seconds = (performance.now() - from) / 1000
  const taken = await one(
    cluster,
    "select count(*) as value from command where agent_id like $1 and state = 'applied'",
    [`w${nodes}-%`],
  )
  return {
    nodes,
    seconds,
    reports,
    ids: ids.size,
    duplicates: answered - ids.size,
    lost: commands - Math.min(ids.size, Number(taken)),
    nodeCpu: cpu() - nodesBefore,
    databaseCpu: cpuSecondsOfAll(database) - databaseBefore,
    loadCpu: cpuSeconds(process.pid) - loadBefore,
  }
}

/** Creates a workspace with agents and queued commands for them, directly in the database. */
async function prepare(url: string, name: string, commands: number): Promise<AskingAgent[]> {
  const store = openPostgres(url)
  if (store.engine !== 'postgres') throw new Error('Not PostgreSQL.')
  const { id } = await addWorkspace(store, name, true, Date.now())
  const tokens = Array.from({ length: Math.max(connections, Math.ceil(commands / perAgent)) }, () => newToken('agent'))
  await store.pool.query(
    `insert into agent (id, workspace_id, name, token_hash, created_at)
     select $1 || '-' || n, $2, 'agent-' || n, hash, 0 from unnest($3::text[]) with ordinality as t (hash, n)`,
    [name, id, tokens.map((token) => hashToken(token))],
  )
  await store.pool.query(
    `insert into command (id, agent_id, type, payload, state, created_at, created_by_name, due_at)
     select gen_random_uuid(), $1 || '-' || (n % $2::int + 1), 'set', '{"every":' || n || '}', 'queued', $3::bigint + n / 1000, 'bench', $3::bigint + 3600000
     from generate_series(0, $4::int - 1) n`,
    [name, tokens.length, Date.now(), commands],
  )
  await store.pool.query('vacuum analyze command')
  await store.close()
  return tokens.map((token) => ({ token, reports: 0, claimed: [] }))
}

function report(port: string, { token, claimed }: AskingAgent, agent: Agent): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const headers = { host: `localhost:${port}`, authorization: `Bearer ${token}` }
    const req = request(
      { port, host: '127.0.0.1', method: 'POST', path: '/api/agent/v1/report', agent, headers },
      (res) => {
        const claimedIn = (text: string) => {
          if (res.statusCode !== 200) throw new Error(`A report was answered with ${res.statusCode}: ${text}`)
          return (JSON.parse(text) as { commands: { id: string }[] }).commands.map(({ id }) => id)
        }
        textOf(res).then(claimedIn).then(resolve, reject)
      },
    )
    req.on('error', reject)
    const acks = claimed.map((id) => ({ id, ok: true }))
    req.end(JSON.stringify({ protocol: 1, state: { level: 'ok', label: 'Claiming' }, acks }))
  })
}

async function one({ url }: Cluster, text: string, values: unknown[]): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text, values)
  await client.end()
  return String(rows[0]?.value)
}
