/**
 * Runs a storm, which is a long test with random faults: agents report to nodes of the service, and people send
 * commands, rotate tokens, wish versions, serve releases, and delete and install agents, while nodes and the database
 * are killed and restarted. All random choices come from one seed. What clients and people saw is recorded for the
 * checker.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { randomOf } from '../../../protocol/testing/mutate.ts'
import { addProduct } from '../../src/fleet/products/store.ts'
import { accountTables } from '../../src/people/accounts/auth.ts'
import { activate } from '../../src/people/workspaces/store.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openEmbedded, openPostgres, type Store } from '../../src/platform/db/open.ts'
import { addRelease } from '../../src/updates/releases/store.ts'
import { uploaded } from '../bundles.ts'
import type { Line, Of } from '../checker/lines.ts'
import { buildOf } from '../releases.ts'
import { addAgent, addWorkspace } from '../test-workspace.ts'
import { accessService, accessStore, type StormAccess } from './access.ts'
import { reportOn } from './agents.ts'
import { type Node, type Nodes, openAlone, openCluster } from './cluster.ts'
import { firstRelease, install, release, slug, steer, tidy, versions } from './people.ts'
import type { Reply, Reporter, Storm } from './roles.ts'
import { viewOf } from './view.ts'

export interface StormOptions {
  seed: number
  /**
   * The faults of the storm, in order: each is a kill of a node, of the database, or of both at once. On SQLite there
   * is one node, and only the node is killed.
   */
  faults: readonly Fault[]
  nodes: number
  agents: number
  /** The milliseconds between two reports of an agent. */
  pause: number
  /** The milliseconds between two faults of the storm. */
  calm: number
  /**
   * Returns true if the recorded lines suffice to end the storm. A fixed time would not do, because a busy machine does
   * less in the same time.
   */
  enough: (lines: readonly Line[]) => boolean
}
type Fault = 'node' | 'database' | 'both'
export interface StormResult {
  lines: Line[]
  /**
   * For each outage of the database, the milliseconds from its end until every node was healthy and could look up a
   * token again.
   */
  healed: number[]
}

/** The maximum milliseconds for which a storm continues after its last fault until `enough` returns true. */
const patience = 120_000

/** Runs a storm on SQLite or PostgreSQL. On SQLite `options` must name one node. */
export async function runStorm(options: StormOptions, engine: Store['engine']): Promise<StormResult> {
  let agents: Reporter[] = []
  const fill = async (store: Store) => {
    await migrate(store, accountTables(store))
    agents = await fillStore(options, store)
    await store.close()
  }
  if (engine === 'sqlite') {
    const alone = await openAlone({ fill: (file) => fill(openEmbedded(file)) })
    return await runOn(options, alone, agents, accessService(alone))
  }
  const cluster = await openCluster(options.nodes, { fill: (url) => fill(openPostgres(url)) })
  const { kill, again } = cluster.postgres
  return await runOn(options, cluster, agents, accessStore(cluster), { kill: async () => kill?.(), again })
}

interface Database {
  kill: () => Promise<void>
  again: () => Promise<void>
}

async function runOn(options: StormOptions, cluster: Nodes, all: Reporter[], access: StormAccess, database?: Database) {
  const random = randomOf(options.seed)
  const lines: Line[] = []
  const healed: number[] = []
  let over = false
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const busy: Promise<void>[] = []
  const storm: Storm = {
    random,
    pick,
    pause: options.pause,
    agents: [],
    note: (line) => lines.push(line),
    over: () => over,
    post: (path, body, headers) => send(pick(cluster.nodes), random, path, body, headers),
    operate: access.operate,
    read: access.read,
    join: (agent) => {
      storm.agents.push(agent)
      busy.push(reportOn(storm, agent))
    },
  }
  storm.note({ kind: 'serve', at: 0, done: 0, version: firstRelease })
  for (const agent of all) storm.join(agent)
  const codes = new Map<string, string>()
  const people = [steer(storm), install(storm, codes), release(storm), tidy(storm)]
  const noteView = async () => {
    const view = await access.read((db) => viewOf(db, codes)).catch(() => undefined)
    if (view) storm.note(view)
  }
  try {
    for (const fault of options.faults) {
      await sleep(options.calm * (0.5 + random()))
      await noteView()
      const outage = await makeFault(fault, pick(cluster.nodes), cluster, database)
      if (outage) storm.note(outage)
      if (outage && fault === 'database') healed.push(await untilHealed(cluster, all, outage.until))
    }
    await sleep(options.calm)
    for (const until = Date.now() + patience; !options.enough(lines) && Date.now() < until; ) await sleep(500)
    over = true
    await Promise.all(people)
    await Promise.all(busy)
    await noteView()
    return { lines, healed }
  } finally {
    over = true
    await Promise.allSettled([...people, ...busy])
    await access.close()
    await cluster.stop()
  }
}

/** Kills and restarts a node, the database or both. Returns the outage if the database was killed. */
async function makeFault(
  fault: Fault,
  node: Node,
  cluster: Nodes,
  database: Database | undefined,
): Promise<Of<'outage'> | undefined> {
  const at = Date.now()
  if (fault !== 'node') await database?.kill()
  if (fault !== 'database') {
    await node.process?.kill('SIGKILL')
    node.process = undefined
  }
  const starting = fault === 'database' ? undefined : cluster.start(node)
  if (fault !== 'node') {
    await sleep(300)
    await database?.again()
  }
  const until = Date.now()
  await starting
  return fault === 'node' ? undefined : { kind: 'outage', at, until }
}

async function untilHealed(cluster: Nodes, agents: readonly Reporter[], since: number): Promise<number> {
  for (const { home } of cluster.nodes) {
    const token = agents[0]?.token
    const well = async () => {
      // The body of this report is invalid: a node that can look up the token refuses it with 400, and nothing is
      // stored.
      const answer = await fetch(`${home.url}/api/agent/v1/report`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '{',
      })
      const health = await fetch(`${home.opsUrl}/healthz`)
      return answer.status < 500 && health.status === 200
    }
    while (!(await well().catch(() => false))) await sleep(25)
  }
  return Date.now() - since
}

async function fillStore({ agents: count }: StormOptions, store: Store): Promise<Reporter[]> {
  const { db } = store
  const by = { id: null, name: 'operator' }
  const now = Date.now()
  const workspace = await addWorkspace(store, slug, true, now)
  const product = await addProduct({ db, by, now }, { id: 'tasks', origin: 'https://tasks.example.org' })
  if (!product.ok) throw new Error(product.message)
  await activate({ db, by, now }, workspace.slug, 'tasks')
  for (const version of versions)
    await uploaded({ db, by, now }, workspace, { version, bindings: ['tasks:editor:tasks.read'] })
  const added = await addRelease(db, buildOf(firstRelease), { older: false, by, now })
  if (!added.ok) throw new Error(added.message)
  const agents: Reporter[] = []
  for (let i = 0; i < count; i++) {
    const { id, name, token } = await addAgent(store, workspace.id, `agent-${i}`, now)
    const blueprint = i % 2 === 0 ? { blueprint: 'mail', installed_version: '1.0.0' } : undefined
    if (blueprint) await db.updateTable('agent').set(blueprint).where('id', '=', id).execute()
    const runtime = i % 4 < 2 ? { version: '1.9.0' } : undefined
    agents.push({
      id,
      name,
      token,
      fill: i === 0 ? 2000 : 0,
      version: blueprint ? '1.0.0' : null,
      runtime,
      gone: false,
    })
  }
  return agents
}

/** Sends a request to a node. The client closes some connections while it waits, so that the answer is lost. */
async function send(
  { home }: Node,
  random: () => number,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Reply | undefined> {
  const from = `10.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}.${1 + Math.floor(random() * 250)}`
  const signal = random() < 0.03 ? AbortSignal.timeout(Math.floor(random() * 20)) : AbortSignal.timeout(15_000)
  try {
    const answer = await fetch(home.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...headers },
      body: JSON.stringify(body),
      signal,
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) }
  } catch {
    return undefined
  }
}
