/**
 * A storm: agents report to several nodes on one PostgreSQL, people press, rotate, wish and install, and meanwhile nodes and
 * the database are killed and started again, all from one seed. What everybody saw is kept line by line for the checker.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { randomOf } from '../../../protocol/testing/mutate.ts'
import { openPostgres, type Store } from '../../src/db/open.ts'
import { addProduct } from '../../src/products/store.ts'
import { activate } from '../../src/workspaces/store.ts'
import { uploaded } from '../bundles.ts'
import type { Line, Of } from '../checker/lines.ts'
import { addAgent, addWorkspace } from '../world.ts'
import { type Reporter, reportOn } from './agents.ts'
import { type Cluster, type Node, openCluster } from './cluster.ts'
import { install, steer, versions } from './people.ts'
import { viewOf } from './view.ts'

export interface Weather {
  seed: number
  /** Kills: of a node, of the database, or of both at once. */
  faults: readonly ('node' | 'database' | 'both')[]
  nodes: number
  agents: number
  /** Milliseconds between two reports of an agent. */
  pause: number
  /** Milliseconds of calm between two faults. */
  calm: number
}
export interface Storm {
  random: () => number
  pick: <T>(from: readonly T[]) => T
  note: (line: Line) => void
  over: () => boolean
  pause: number
  /** To any node; undefined when no whole answer came. */
  post: (path: string, body: object, headers?: Record<string, string>) => Promise<Reply | undefined>
}
export interface Reply {
  status: number
  headers: Headers
  text: string
  json: unknown
}
export interface Told {
  lines: Line[]
  /** Milliseconds from the database's return until every node took a report. */
  healed: number[]
}

export async function rage(weather: Weather): Promise<Told> {
  const cluster = await openCluster(weather.nodes)
  const store = openPostgres(cluster.url)
  try {
    return await through(weather, cluster, store)
  } finally {
    await store.close()
    await cluster.stop()
  }
}

async function through(weather: Weather, cluster: Cluster, store: Store): Promise<Told> {
  const random = randomOf(weather.seed)
  const lines: Line[] = []
  const healed: number[] = []
  let over = false
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const post: Storm['post'] = (path, body, headers) => send(pick(cluster.nodes), random, path, body, headers)
  const storm: Storm = { random, pick, post, pause: weather.pause, note: (line) => lines.push(line), over: () => over }

  const workspace = await addWorkspace(store, 'north', true, Date.now())
  const agents = await peopled(weather, store, workspace)
  const codes = new Map<string, string>()
  const at = { kind: 'wish', at: 0, done: 0, desired: null, runtime: null, served: null } as const
  for (const { id, version } of agents) if (version) storm.note({ ...at, agent: id })
  const busy = [
    ...agents.map((agent) => reportOn(storm, agent)),
    steer(storm, store.db, agents),
    install(storm, store.db, workspace, codes),
  ]
  const look = async () => {
    const view = await viewOf(store.db, codes).catch(() => undefined)
    if (view) storm.note(view)
  }
  try {
    for (const fault of weather.faults) {
      await sleep(weather.calm * (0.5 + random()))
      await look()
      const outage = await strike(fault, pick(cluster.nodes), cluster)
      if (outage) storm.note(outage)
      if (outage && fault === 'database') healed.push(await healing(cluster, agents, outage.until))
    }
    await sleep(weather.calm)
  } finally {
    over = true
    await Promise.all(busy)
  }
  await look()
  return { lines, healed }
}

/** Gives the outage of the database, where it was one. */
async function strike(
  fault: Weather['faults'][number],
  node: Node,
  cluster: Cluster,
): Promise<Of<'outage'> | undefined> {
  const at = Date.now()
  if (fault !== 'node') await cluster.postgres.kill?.()
  if (fault !== 'database') {
    await node.process?.kill('SIGKILL')
    node.process = undefined
  }
  const starting = fault === 'database' ? undefined : cluster.start(node)
  if (fault !== 'node') {
    await sleep(300)
    await cluster.postgres.again()
  }
  const until = Date.now()
  await starting
  return fault === 'node' ? undefined : { kind: 'outage', at, until }
}

async function healing(cluster: Cluster, agents: readonly Reporter[], since: number): Promise<number> {
  for (const { place } of cluster.nodes) {
    const token = agents[0]?.token
    const well = async () => {
      // A body that is none: refused with 400 by a node that can look the token up, and nothing is stored.
      const answer = await fetch(`${place.url}/api/agent/v1/report`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '{',
      })
      const health = await fetch(`${place.opsUrl}/healthz`)
      return answer.status < 500 && health.status === 200
    }
    while (!(await well().catch(() => false))) await sleep(25)
  }
  return Date.now() - since
}

async function peopled({ agents: count }: Weather, store: Store, workspace: { id: string; slug: string }) {
  const { db } = store
  const by = { id: null, name: 'operator' }
  const now = Date.now()
  const product = await addProduct(db, { id: 'tasks', origin: 'https://tasks.example.org' }, by, now)
  if (!product.ok) throw new Error(product.message)
  await activate(db, workspace.slug, 'tasks', by, now)
  for (const version of versions)
    await uploaded(db, workspace, by, now, { version, bindings: ['tasks:editor:tasks.read'] })
  const agents: Reporter[] = []
  for (let i = 0; i < count; i++) {
    const agent = await addAgent(store, workspace.id, `agent-${i}`, now)
    const blueprint = i % 2 === 0 ? { blueprint: 'mail', installed_version: '1.0.0' } : undefined
    if (blueprint) await db.updateTable('agent').set(blueprint).where('id', '=', agent.id).execute()
    agents.push({ ...agent, workspace_id: workspace.id, fill: i === 0 ? 2000 : 0, version: blueprint ? '1.0.0' : null })
  }
  return agents
}

/** Some answers are lost on the way: the client hangs up while it waits. */
async function send(
  { place }: Node,
  random: () => number,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Reply | undefined> {
  const from = `10.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}.${1 + Math.floor(random() * 250)}`
  const signal = random() < 0.03 ? AbortSignal.timeout(Math.floor(random() * 20)) : AbortSignal.timeout(15_000)
  try {
    const answer = await fetch(place.url + path, {
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
