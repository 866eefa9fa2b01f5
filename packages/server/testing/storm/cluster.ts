/**
 * Runs the processes that a storm kills and restarts: nodes of the service as people run them and, for several nodes, a
 * PostgreSQL.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../testing/free-port.ts'
import { databaseFile } from '../../src/platform/data-folder.ts'
import { once, startPostgres, type TestPostgres } from '../postgres.ts'
import { ServiceHome, type ServiceProcess } from '../service-process.ts'

export interface Node {
  home: ServiceHome
  /** The process of the node; undefined while the node is down. */
  process: ServiceProcess | undefined
}
export interface Nodes {
  nodes: Node[]
  /** Starts a node again and again until it is ready, like a supervisor. */
  start(node: Node): Promise<void>
  stop(): Promise<void>
}
export interface Cluster extends Nodes {
  postgres: TestPostgres
  url: string
}
/** A single node whose data is in SQLite. */
export interface Alone extends Nodes {
  file: string
}

/**
 * Starts PostgreSQL and this many nodes. The nodes share a secret and trust forwarded client addresses, as behind a
 * proxy. `fill` prepares the database before the nodes start.
 */
export async function openCluster(
  count: number,
  { fill, ...options }: { durable?: boolean; fill?: (url: string) => Promise<void> } = {},
): Promise<Cluster> {
  const postgres = await startPostgres(options)
  try {
    await once(postgres.url('postgres'), 'create database svc')
    const url = postgres.url('svc')
    await fill?.(url)
    const nodes = await startNodes(count, { SVC_DATABASE_URL: url })
    const stop = () => nodes.stop().then(postgres.stop)
    return { ...nodes, postgres, url, stop }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

/** Starts one node with a SQLite database in its data folder. `fill` prepares the database first. */
export async function openAlone({ fill }: { fill: (file: string) => Promise<void> }): Promise<Alone> {
  const nodes = await startNodes(1, {}, (dataDir) => fill(databaseFile(dataDir)))
  return { ...nodes, file: databaseFile(nodes.nodes[0]?.home.dataDir ?? '') }
}

/** The maximum number of starts of a node. If all of them fail, the cause is not just that the database is down. */
const maxTries = 100

async function startNodes(
  count: number,
  database: Record<string, string>,
  fill?: (dataDir: string) => Promise<void>,
): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-storm-'))
  const more = {
    ...database,
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_LOG_LEVEL: 'fatal',
    SVC_RELEASE_DIR: join(folder, 'no release'),
  }
  const nodes: Node[] = []
  let stopped = false
  for (let i = 0; i < count; i++) {
    const own = join(folder, `node${i}`)
    mkdirSync(join(own, 'data'), { recursive: true })
    writeFileSync(join(own, 'data/secret'), 'the same secret on every one of the nodes')
    const home = new ServiceHome(own, { page: await freePort(), ops: await freePort() }, more)
    nodes.push({ home: home, process: undefined })
    await fill?.(home.dataDir)
  }
  const start = async (node: Node) => {
    let why: unknown
    for (let tries = 0; tries < maxTries && !stopped; tries++) {
      const started = node.home.begin()
      try {
        await started.ready()
        node.process = started
        return
      } catch (error) {
        why = error // The node could not reach the database and ended before it was ready.
      }
      await sleep(100)
    }
    if (!stopped) throw new Error(`A node did not start in ${maxTries} tries.`, { cause: why })
  }
  const stop = async () => {
    stopped = true
    for (const node of nodes) await node.process?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(nodes.map(start))
    return { nodes, start, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
