/**
 * Tests several nodes of one service. `npm test` leaves this out. packages/server/src/service/nodes.store.test.ts
 * proves the same rules.
 */
import { once as event } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { once } from '../../testing/postgres.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../testing/service-process.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'

const rounds = byLevel(1, 1, 12)
/** The maximum time for a test in milliseconds, long enough for a busy machine. */
const patience = 600_000

/** Makes folders and ports for nodes that share one database and the same secret. */
async function nodesOn(url: string, count: number): Promise<ServiceHome[]> {
  const places: ServiceHome[] = []
  for (let i = 0; i < count; i++) {
    const home = await newServiceHome({ SVC_DATABASE_URL: url })
    mkdirSync(home.dataDir)
    writeFileSync(join(home.dataDir, 'secret'), 'the same secret on every one of the nodes')
    places.push(home)
  }
  return places
}

test(
  'four nodes that start at the same time on an empty database migrate it together, and all serve',
  async () => {
    for (let round = 0; round < rounds; round++) {
      const places = await nodesOn(await newPostgresDatabase({ empty: true }), 4)
      const nodes = await Promise.all(places.map((home) => home.start()))
      const { token } = await populate(places[0] as ServiceHome)
      for (const home of places) expect((await report(home.url, token)).status).toBe(200)
      for (const node of nodes) expect(await node.kill()).toBe(0)
    }
  },
  patience,
)

test(
  'a node with another secret than the others does not start until its secret is corrected',
  async () => {
    const url = await newPostgresDatabase()
    const [first, second] = [
      await newServiceHome({ SVC_DATABASE_URL: url }),
      await newServiceHome({ SVC_DATABASE_URL: url }),
    ]
    await (await first.start()).kill()
    const refused = await second.run(['start'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not the secret of the other nodes') })
    cpSync(join(first.dataDir, 'secret'), join(second.dataDir, 'secret'))
    await (await second.start()).kill()
    writeFileSync(join(second.dataDir, 'secret'), 'another secret that is long enough for cookies')
    expect(await second.run(['secret', 'adopt'])).toMatchObject({ code: 0 })
    await (await second.start()).kill()
    expect(await first.run(['start'])).toMatchObject({ code: 1 })
  },
  patience,
)

test(
  'a database that may lose commits, and one that does not exist, each get a sentence',
  async () => {
    const loose = await newPostgresDatabase()
    await once(
      loose,
      `alter database ${new URL(loose.replace('@/', '@host/')).pathname.slice(1)} set synchronous_commit = off`,
    )
    const home = await newServiceHome({ SVC_DATABASE_URL: loose })
    mkdirSync(home.dataDir) // If the data folder did not exist, the program would also print that it is new.
    const unsafe = await home.runProgram(['workspace', 'list'])
    expect(unsafe).toMatchObject({ code: 1, stderr: expect.stringContaining('synchronous_commit') })
    expect(unsafe.stderr.trim().split('\n')).toHaveLength(1)

    const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await event(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const gone = await newServiceHome({ SVC_DATABASE_URL: `postgres://svc:geheim@127.0.0.1:${port}/svc` })
    const refused = await gone.runProgram(['workspace', 'list'])
    silent.close()
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be opened') })
    expect(refused.stderr).not.toContain('geheim')
  },
  patience,
)
