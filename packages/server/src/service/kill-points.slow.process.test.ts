/**
 * Kills a program that writes to the database, at each point from a certain statement on
 * (testing/kill-at-statement.ts): nothing is lost, and nothing counts twice. Each row of `writes` is tested on both
 * engines. `npm test` leaves this out. packages/server/src/fleet/reports/usage-deleted.store.test.ts proves the same
 * rules.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { programs } from '../../../../testing/program.ts'
import { reporting } from '../../testing/reporting.ts'
import { send } from '../../testing/send.ts'
import { newServiceHome, type ServiceHome } from '../../testing/service-process.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'
import { newClock, newTestWorkspace, type TestAgent, type TestWorkspace } from '../../testing/test-workspace.ts'
import { deleteAgent } from '../fleet/agents/store.ts'
import { accountTables } from '../people/accounts/auth.ts'
import { databaseFile } from '../platform/data-folder.ts'
import { migrate } from '../platform/db/migrate.ts'
import { openEmbedded, openPostgres, type Store } from '../platform/db/open.ts'
import { usageSums } from '../web/queries/usage.ts'

/** More than the points of any row, so that the last act of each is not killed. */
const maxPoints = 24
/** The time since the last report of an agent. Its interval is 30 s, so that it is offline for most of it. */
const silentMs = 3_600_000

interface Place {
  home: ServiceHome
  /** The address or the file of the database. */
  where: string
  open: () => Store
}

async function onSqlite(): Promise<Place> {
  const home = await newServiceHome()
  mkdirSync(home.dataDir, { mode: 0o700 })
  const where = databaseFile(home.dataDir)
  const store = openEmbedded(where)
  await migrate(store, accountTables(store))
  await store.close()
  return { home, where, open: () => openEmbedded(where) }
}

async function onPostgres(): Promise<Place> {
  const where = await newPostgresDatabase()
  const home = await newServiceHome({ SVC_DATABASE_URL: where })
  mkdirSync(home.dataDir, { mode: 0o700 })
  writeFileSync(join(home.dataDir, 'secret'), 'a secret of at least thirty-two characters')
  return { home, where, open: () => openPostgres(where) }
}

interface Write {
  what: string
  /** The statement from which the points are counted. */
  from: string
  /** The minimum number of points at which a process is killed. */
  points: Record<'sqlite' | 'postgres', number>
  /** Writes in another process with these variables. True if the process ended the work before it was killed. */
  run: (place: Place, agent: TestAgent, env: Record<string, string>) => Promise<boolean>
  /** Writes once more, or for the first time, as after a restart. */
  again: (w: TestWorkspace, agent: TestAgent) => Promise<unknown>
  /** Fails unless all of the work is in the database or nothing of it. */
  whole: (w: TestWorkspace, agent: TestAgent) => Promise<void>
  /** Reads what `expected` returns. */
  end: (w: TestWorkspace, agent: TestAgent) => Promise<unknown>
  /** The rows after the write was repeated. */
  expected: (w: TestWorkspace) => unknown
}

const nodeWith = (env: Record<string, string>, args: readonly string[], place: Place) => {
  const killing = ['--import', join(import.meta.dirname, '../../testing/kill-at-statement.ts')]
  const child = spawn(process.execPath, [...killing, ...args], {
    cwd: place.home.folder,
    env: { ...place.home.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const costOf = (sums: readonly { model: string; runs: number; costMicro: number }[]): [runs: number, cost: number] =>
  sums
    .filter(({ model }) => model === '')
    .reduce(([runs, cost], sum) => [runs + sum.runs, cost + sum.costMicro], [0, 0])

/** The runs and costs of all agents, also of those that are deleted. */
async function everything({ store: { db } }: TestWorkspace): Promise<[runs: number, cost: number]> {
  const agents = await db.selectFrom('agent').select('id').execute()
  const alive = await Promise.all(agents.map((agent) => usageSums(db, agent)))
  const deleted = await db.selectFrom('usage_deleted').select(['model', 'runs', 'cost_micro as costMicro']).execute()
  return costOf([...alive.flat(), ...deleted])
}

const idle = { state: { level: 'ok', label: 'Idle' } }
/** With the end of a time offline, it makes the batch write every row that tells what was before. */
const paused = { state: { level: 'bad', label: 'Paused' } }

const runOf = (id: string, { clock }: TestWorkspace) => ({ id, started: clock.now() / 1000, models: { big: 1 } })

const offlineOf = ({ store }: TestWorkspace, { id }: TestAgent) =>
  store.db.selectFrom('agent_offline').select(['from_at', 'until_at']).where('agent_id', '=', id).execute()

const levelsOf = ({ store }: TestWorkspace, { id }: TestAgent) =>
  store.db.selectFrom('level_change').select(['level', 'paused']).where('agent_id', '=', id).orderBy('seq').execute()

/** The rows after a report that ended a time offline, or before it. */
const rowsAfter = (isStored: boolean) => [
  [{ level: 'ok', paused: 0 }, ...(isStored ? [{ level: 'bad', paused: 1 }] : [])],
  isStored ? [2, 2_000_000] : [1, 1_000_000],
]
const rowsNow = async (w: TestWorkspace, agent: TestAgent) => [
  await levelsOf(w, agent),
  costOf(await usageSums(w.store.db, agent)),
]

const writes: readonly Write[] = [
  {
    what: 'a report that ends a time offline, with another level and a pause',
    // The first statement of a batch that writes. PostgreSQL gets all of them in one message.
    from: 'insert into run ',
    points: { sqlite: 9, postgres: 2 },
    run: async (place, agent, env) => {
      const child = nodeWith(env, [programs.serve, place.where], place)
      const gone = once(child, 'exit')
      let status: number | undefined
      for await (const port of createInterface({ input: child.stdout })) {
        const body = JSON.stringify({ protocol: 1, ...paused, runs: [{ id: 'b', models: { big: 1 } }] })
        const answer = send({ port: Number(port) }, { token: agent.token, body })
        status = await answer.then(
          (reply) => reply.status,
          () => undefined,
        )
        break
      }
      child.kill('SIGKILL')
      await gone
      return status === 200
    },
    again: (w, agent) => reporting(w).report({ ...paused, runs: [runOf('b', w)] }, { agent }),
    whole: async (w, agent) => {
      const { received_at } = await w.store.db
        .selectFrom('agent_report')
        .select('received_at')
        .where('agent_id', '=', agent.id)
        .executeTakeFirstOrThrow()
      const isStored = received_at > w.clock.now() - silentMs
      const ended = isStored ? [{ from_at: expect.any(Number), until_at: received_at }] : []
      expect(await offlineOf(w, agent)).toEqual(ended)
      expect(await rowsNow(w, agent)).toEqual(rowsAfter(isStored))
    },
    end: async (w, agent) => [(await offlineOf(w, agent)).map(({ from_at }) => from_at), ...(await rowsNow(w, agent))],
    expected: (w) => [[w.clock.now() - silentMs + 90_000], ...rowsAfter(true)],
  },
  {
    what: 'a deletion of an agent with costs',
    from: 'insert into usage_deleted',
    points: { sqlite: 5, postgres: 10 },
    run: async (place, agent, env) => {
      const child = nodeWith(env, [programs.server, 'agent', 'delete', `north/${agent.name}`], place)
      const [code] = await once(child, 'exit')
      return code === 0
    },
    again: (w, agent) => deleteAgent({ db: w.store.db, by: { id: null, name: 'operator' }, now: w.clock.now() }, agent),
    whole: async (w) => expect(await everything(w)).toEqual([maxPoints, maxPoints * 1_000_000]),
    end: async (w, { id }) => [
      await w.store.db.selectFrom('agent').select('id').where('id', '=', id).execute(),
      await everything(w),
    ],
    expected: () => [[], [maxPoints, maxPoints * 1_000_000]],
  },
]

describe.each([
  ['sqlite', onSqlite],
  ['postgres', onPostgres],
] as const)('on %s', (engine, make) => {
  test.each(writes)(
    '$what, killed at any point: nothing is lost or counted twice',
    async (write) => {
      const place = await make()
      const agents: TestAgent[] = []
      const now = Date.now()
      const opened = async <T>(at: number, work: (w: TestWorkspace) => Promise<T>): Promise<T> => {
        const store = place.open()
        const clock = newClock(at)
        try {
          return await work({ ...(seeded as TestWorkspace), store, clock })
        } finally {
          await store.close()
        }
      }
      let seeded: TestWorkspace | undefined
      const store = place.open()
      seeded = await newTestWorkspace(store)
      agents.push(seeded.agent)
      while (agents.length < maxPoints) agents.push(await seeded.addAgent(`agent-${agents.length}`))
      await store.close()
      await opened(now - silentMs, async (w) => {
        for (const agent of agents) await reporting(w).report({ ...idle, runs: [runOf('a', w)] }, { agent })
      })

      let kills = 0
      for (const [at, agent] of agents.entries()) {
        const env = { SVC_TEST_KILL_FROM: write.from, SVC_TEST_KILL_AT: String(at) }
        const done = await write.run(place, agent, env)
        await opened(now, async (w) => {
          await write.whole(w, agent)
          await write.again(w, agent)
          expect(await write.end(w, agent)).toEqual(write.expected(w))
        })
        if (done) break
        kills++
      }
      expect(kills).toBeGreaterThanOrEqual(write.points[engine])
      expect(kills).toBeLessThan(maxPoints)
    },
    300_000,
  )
})
