/**
 * Runs the service of earlier commits, taken from the history of the checkout: beside the current one as another node
 * (docs/operate.md), and before it on the same data folder. It runs only among the long tests, since it needs the
 * history; there the current service is the unpacked package. `npm test` leaves this out.
 * packages/server/src/platform/db/migrate.store.test.ts proves the same rules.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkOut, commitOf } from '../../../../testing/earlier-commits.ts'
import { RawAssistant, textOf } from '../../testing/assistant.ts'
import { offering } from '../../testing/service.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../testing/service-process.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'

/**
 * The commit from whose code the old node runs: the newest one of version 0.1.0 that is installed somewhere. A later
 * commit will not do, because migrations may change until they are released, so no installation has its tables.
 */
const released = '219af78'

const before = commitOf(released)

test.skipIf(before === undefined)(
  'a node of the previous version runs beside a newer one, and does not start again on its tables',
  async () => {
    const url = await newPostgresDatabase({ empty: true })
    const [old, young] = [
      await newServiceHome({ SVC_DATABASE_URL: url }),
      await newServiceHome({ SVC_DATABASE_URL: url }),
    ]
    old.program = join(checkOut(before ?? ''), 'packages/server/src/main.ts')
    for (const { dataDir } of [old, young]) {
      mkdirSync(dataDir)
      writeFileSync(join(dataDir, 'secret'), 'the same secret on every one of the nodes')
    }
    await old.start()
    const { token } = await populate(old)
    const says = async (home: ServiceHome, parts: object) => {
      const answer = await report(home.url, token, { ...offering, ...parts })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { commands: { id: string }[] }).commands.map(({ id }) => id)
    }
    expect(await says(old, {})).toEqual([])
    const node = await young.start()

    for (const [claims, acks] of [
      [old, young],
      [young, old],
      [old, old],
    ] as const) {
      // The `svc-server` of the newer version queues the command: it opens the database itself. The `svc-server` of the
      // older version cannot open the database, because the newer version has migrated it.
      const { id } = await young.value<{ id: string }>(['command', 'send', 'north/mail', 'set', 'every=20'])
      expect(await says(claims, {})).toEqual([id])
      expect(
        await says(acks, {
          acks: [{ id, ok: true, message: 'done' }],
          runs: [{ id: `run ${id}`, started: 1_790_000_000 }],
        }),
      ).toEqual([])
      const [shown] = await young.value<{ state: string }[]>(['command', 'list', 'north/mail'])
      expect(shown?.state).toBe('applied')
    }
    expect((await old.run(['workspace', 'list'])).code).toBe(1)
    await node.kill()
    expect(await says(old, {})).toEqual([])
  },
)

test.each([released, 'HEAD~1'].flatMap((name) => commitOf(name) ?? []))(
  'data that the service of commit %s wrote is taken over',
  async (commit) => {
    const home = await newServiceHome()
    const { program } = home
    home.program = join(checkOut(commit), 'packages/server/src/main.ts')
    const old = await home.start()
    const { token, email, password } = await populate(home)
    expect((await report(home.url, token, { state: { level: 'ok', label: 'before' } })).status).toBe(200)
    await old.kill('SIGKILL')

    home.program = program
    const service = await home.start()
    expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject({ report: { state: { label: 'before' } } })
    expect((await report(home.url, token, { state: { level: 'ok', label: 'after' } })).status).toBe(200)
    const signedIn = await fetch(`${home.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: home.url },
      body: JSON.stringify({ email, password }),
    })
    expect(signedIn.status).toBe(200)
    expect(service.log).not.toContain('"level":"error"')
    expect(await service.kill()).toBe(0)
  },
)

/** The first commit with `svc-server mcp`. */
const firstWithAssistants = '0ab41f983'

/** A home whose data folder and settings are those of another one, with another program. */
const withProgram = ({ folder, env }: ServiceHome, program: string) => ({ folder, env, program })

describe.each(['SQLite', 'PostgreSQL'])('with %s, between two calls of an assistant', (engine) => {
  const newHome = async () =>
    newServiceHome(engine === 'SQLite' ? {} : { SVC_DATABASE_URL: await newPostgresDatabase({ empty: true }) })
  const reads = async (assistant: RawAssistant) =>
    expect(textOf(await assistant.call('fleet', { filter: 'level:bad' }))).toContain('"name":"mail"')

  test.each([firstWithAssistants, 'HEAD~1'].flatMap((name) => commitOf(name) ?? []))(
    'the service of commit %s is upgraded; assistants of both versions read before and after',
    async (commit) => {
      const home = await newHome()
      const { program } = home
      home.program = join(checkOut(commit), 'packages/server/src/main.ts')
      const old = await home.start()
      const { token } = await populate(home)
      await report(home.url, token, { state: { level: 'bad', label: 'Stuck' } })
      const before = new RawAssistant(withProgram(home, home.program))
      await before.initialize()
      await reads(before)
      const now = new RawAssistant(withProgram(home, program))
      await now.initialize()
      for (const assistant of [now, before]) await reads(assistant)

      await old.kill()
      home.program = program
      await home.start()
      const next = new RawAssistant(home)
      await next.initialize()
      for (const assistant of [now, before, next]) await reads(assistant)
    },
  )
})

test.skipIf(before === undefined)(
  'a service that knows no assistants is named to them until it is upgraded',
  async () => {
    const home = await newServiceHome()
    const { program } = home
    home.program = join(checkOut(before ?? ''), 'packages/server/src/main.ts')
    const assistant = new RawAssistant(withProgram(home, program))
    await assistant.initialize()
    expect(textOf(await assistant.call('fleet'))).toBe('The service does not run.')
    const old = await home.start()
    await populate(home)
    const reply = await assistant.call('fleet')
    expect([reply.result?.isError, textOf(reply)]).toEqual([
      true,
      'The running service (0.1.0) does not know "svc-server assistant fleet": restart it with this version.',
    ])
    const late = new RawAssistant(withProgram(home, program))
    expect([await late.ended, late.said]).toEqual([1, expect.stringContaining('restart it with this version')])
    await old.kill()
    home.program = program
    await home.start()
    expect(textOf(await assistant.call('fleet'))).toContain('"name":"mail"')
  },
)
