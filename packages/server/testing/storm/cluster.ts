/** What is ended and started again in a storm: a PostgreSQL of its own, and nodes of the service as people run them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { once, startPostgres, type TestPostgres } from '../postgres.ts'
import { Place, type ServiceProcess } from '../service-process.ts'

export interface Node {
  place: Place
  /** Undefined while it is down. */
  process: ServiceProcess | undefined
}
export interface Cluster {
  postgres: TestPostgres
  url: string
  nodes: Node[]
  /** Starts it until it stands, as a supervisor does. */
  start(node: Node): Promise<void>
  stop(): Promise<void>
}

/** Starts all of it; nodes share a secret, and believe their caller about addresses, as behind a proxy. */
export async function openCluster(count: number, options: { durable?: boolean } = {}): Promise<Cluster> {
  const postgres = await startPostgres(options)
  await once(postgres.url('postgres'), 'create database svc')
  const url = postgres.url('svc')
  const folder = mkdtempSync(join(tmpdir(), 'svc-storm-'))
  const more = { SVC_DATABASE_URL: url, SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_LOG_LEVEL: 'fatal' }
  const nodes: Node[] = []
  let stopped = false
  for (let i = 0; i < count; i++) {
    const own = join(folder, `node${i}`)
    mkdirSync(join(own, 'data'), { recursive: true })
    writeFileSync(join(own, 'data/secret'), 'the same secret on every one of the nodes')
    const place = new Place(own, { page: await freePort(), ops: await freePort() }, more)
    nodes.push({ place, process: undefined })
  }
  const start = async (node: Node) => {
    while (!stopped) {
      const begun = node.place.begin()
      const stands = await begun.ready().then(
        () => true,
        () => false, // the database is not there: it has said so and ended
      )
      if (stands) {
        node.process = begun
        return
      }
      await sleep(100)
    }
  }
  const stop = async () => {
    stopped = true
    for (const node of nodes) await node.process?.kill('SIGKILL')
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(nodes.map(start))
    return { postgres, url, nodes, start, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
