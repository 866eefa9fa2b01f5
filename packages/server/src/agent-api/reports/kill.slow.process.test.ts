/**
 * Tests that a service which is killed loses nothing that it confirmed to agents. `npm test` leaves this out.
 * packages/server/src/agent-api/reports/history.store.test.ts proves the same rules.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { programs } from '../../../../../testing/program.ts'
import { offering, send } from '../../../testing/service.ts'
import { newPostgresDatabase, newSqliteFile } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent } from '../../../testing/test-workspace.ts'
import { sendCommand } from '../../fleet/commands/store.ts'
import { openEmbedded, openPostgres, type Store } from '../../platform/db/open.ts'
import { usageSums } from '../../web/queries/usage.ts'

const rounds = byLevel(4, 4, 30)
/**
 * The number of answers after which the test kills the service in a round. It is always fewer than the reports that all
 * agents may send in one minute.
 */
const answersUntilKill = (round: number) => 60 + ((round * 37) % 500)
const openAt = (where: string): Store => (where.startsWith('postgres:') ? openPostgres(where) : openEmbedded(where))

let child: ChildProcess | undefined
afterEach(() => {
  child?.kill('SIGKILL')
})

async function serve(where: string): Promise<{ port: number; process: ChildProcess }> {
  const started = spawn(process.execPath, [programs.serve, where], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child = started
  for await (const line of createInterface({ input: started.stdout })) return { port: Number(line), process: started }
  throw new Error('The service did not start.')
}

/**
 * The facts that the clients know for certain: the runs in reports that were answered with 200, and every command that
 * they received.
 */
interface Known {
  runs: string[]
  handedOut: string[]
}

/**
 * Sends reports of one agent, one after the other, until the service is gone or the agent's rate limit is reached.
 * Calls `answered` after each answer.
 */
async function reportUntilGone(port: number, agent: TestAgent, round: number, known: Known, answered: () => void) {
  const connection = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 0; ; n++) {
    const id = `${agent.name}-${round}-${n}`
    const body = JSON.stringify({
      protocol: 1,
      ...offering,
      state: { level: 'ok', label: n % 2 === 0 ? 'Paused' : 'Idle' },
      runs: [{ id, started: 1_790_000_000 + n, cost_usd: 0.01 }],
    })
    try {
      const reply = await send({ port }, { token: agent.token, body, agent: connection })
      if (reply.status === 429) break
      expect(reply.status).toBe(200)
      known.runs.push(id)
      known.handedOut.push(...reply.json.commands.map((command: { id: string }) => command.id))
      answered()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      break
    }
  }
  connection.destroy()
}

test.each([
  ['SQLite', newSqliteFile],
  ['PostgreSQL', newPostgresDatabase],
])(
  'a service that is killed under load loses nothing that it answered, and delivers no command twice (%s)',
  { timeout: rounds * 30_000 },
  async (_engine, make) => {
    const where = await make()
    const known: Known = { runs: [], handedOut: [] }
    const seed = openAt(where)
    const w = await newTestWorkspace(seed)
    const agents = await Promise.all(Array.from({ length: 12 }, (_, i) => w.addAgent(`a${i}`)))
    await seed.close()
    for (let round = 0; round < rounds; round++) {
      const service = await serve(where)
      let answers = 0
      const enough = Promise.withResolvers<void>()
      const clients = agents.map((agent) =>
        reportUntilGone(service.port, agent, round, known, () => {
          if (++answers === answersUntilKill(round)) enough.resolve()
        }),
      )
      await Promise.race([enough.promise, Promise.all(clients)])
      expect(answers).toBeGreaterThanOrEqual(answersUntilKill(round))
      service.process.kill('SIGKILL')
      await once(service.process, 'exit')
      await Promise.all(clients)
      await pressAll(where, agents)
    }
    const store = openAt(where)
    const stored = new Set((await store.db.selectFrom('run').select('id').execute()).map(({ id }) => id))
    expect(known.runs.filter((id) => !stored.has(id))).toEqual([])
    expect(known.runs.length).toBeGreaterThan(rounds * 50)
    for (const agent of agents) expect(await pausesOf(store, agent)).toEqual(await expectedPauses(store, agent))
    const sums = await Promise.all(
      (await store.db.selectFrom('agent').select('id').execute()).map((agent) => usageSums(store.db, agent)),
    )
    const runs = sums.flat().flatMap((sum) => (sum.model === '' ? [sum.runs] : []))
    expect(runs.reduce((total, one) => total + one, 0)).toBe(stored.size)
    expect(new Set(known.handedOut).size).toBe(known.handedOut.length)
    expect(known.handedOut.length).toBeGreaterThan(0)
    const open = await store.db.selectFrom('command').select('id').where('state', '=', 'queued').execute()
    expect(open.filter(({ id }) => known.handedOut.includes(id))).toEqual([])
    await store.close()
  },
)

/** The pauses of an agent as their rows say it, oldest first. */
async function pausesOf({ db }: Store, { id }: TestAgent): Promise<(number | null)[]> {
  const rows = await db.selectFrom('level_change').select('paused').where('agent_id', '=', id).orderBy('seq').execute()
  return rows.map(({ paused }) => paused)
}

/**
 * The values of `paused` that the rows must have. Each stored report begins or ends a pause, so they alternate, and the
 * last row agrees with the last report.
 */
async function expectedPauses(store: Store, agent: TestAgent): Promise<number[]> {
  const { length } = await pausesOf(store, agent)
  expect(length).toBeGreaterThan(rounds)
  const last = await store.db
    .selectFrom('agent_report')
    .select('label')
    .where('agent_id', '=', agent.id)
    .executeTakeFirstOrThrow()
  const isPaused = last.label === 'Paused' ? 1 : 0
  return Array.from({ length }, (_, i) => ((length - 1 - i) % 2 === 0 ? isPaused : 1 - isPaused))
}

async function pressAll(where: string, agents: TestAgent[]): Promise<void> {
  const store = openAt(where)
  for (const agent of agents) {
    for (const every of [1, 2, 3]) {
      const wish = { type: 'set', payload: { every } } as const
      const queued = await sendCommand(
        { db: store.db, by: { id: null, name: 'operator' }, now: Date.now() },
        agent,
        wish,
      )
      expect(queued.ok).toBe(true)
    }
  }
  await store.close()
}
