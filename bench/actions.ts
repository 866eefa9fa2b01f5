/**
 * Measures the four steps of an action on many agents over HTTP while all agents report every 30 s: the names that a
 * filter selects, the preview, the answer to the press, and the time until every command is queued. On both databases.
 *
 *   npm run bench -- actions [--agents 5000] [--rounds 5]
 */

import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Postgres, startDatabase } from './common/postgres.ts'
import { type Service, startService, workspace } from './common/service.ts'
import { signIn } from './common/sign-in.ts'
import { count, fixed, table } from './common/table.ts'
import { measureWork, median } from './common/times.ts'
import { cpuSeconds, cpuSecondsOfAll } from './common/usage.ts'
import { startLoad } from './fleet/load.ts'

const interval = 30
/** The limits in milliseconds. */
const maxMs = { answered: 1000, queued: 5000 } as const
const person = 'person-0@example.org'

interface ActionMeasurement {
  engine: string
  names: number[]
  preview: number[]
  answered: number[]
  queued: number[]
  /** The CPU of the service and of the database from the press until every command was queued, in milliseconds. */
  cpu: number[]
}

export async function benchActions(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { agents: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '5' } },
  })
  const [agents, rounds] = [Number(values.agents), Number(values.rounds)]
  const all = [await measure('SQLite', agents, rounds)]
  const postgres = await startDatabase()
  try {
    all.push(await measure(`PostgreSQL ${postgres.version}`, agents, rounds, postgres))
  } finally {
    await postgres.stop()
  }
  const rows = all.flatMap(({ engine, names, preview, answered, queued, cpu }) => {
    const figures: [what: string, times: number[], limit: number | undefined][] = [
      ['names of the agents that a filter selects', names, undefined],
      ['preview', preview, undefined],
      ['answer to the press', answered, maxMs.answered],
      ['every command queued', queued, maxMs.queued],
      ['until then, CPU of service and database', cpu, undefined],
    ]
    return figures.map(([what, times, limit]) => {
      const middle = median(times)
      const ratio = limit === undefined ? undefined : fixed(middle / limit, 2)
      return [engine, what, fixed(middle, 0), fixed(Math.max(...times), 0), limit, ratio]
    })
  })
  return [
    `An action on ${count(agents)} agents of ${count(agents)}, which report every ${interval} s; milliseconds since the press, medians of ${rounds}.`,
    table(['database', 'what', 'median', 'slowest', 'limit', '÷ limit'], rows),
  ].join('\n\n')
}

async function measure(
  engine: string,
  agents: number,
  rounds: number,
  postgres?: Postgres,
): Promise<ActionMeasurement> {
  const url = postgres?.url
  console.error(`actions: ${count(agents)} agents, ${engine}`)
  const service = await startService(agents, {
    people: [person],
    ...(url !== undefined && { env: { SVC_DATABASE_URL: url } }),
  })
  const load = await startLoad({ port: service.port, agents, connections: Math.min(agents, 10_000), interval })
  const database = await openDatabase(service, url)
  try {
    await sleep((interval + 2) * 1000)
    const cookie = await signIn(service, person)
    const call = caller(service, cookie)
    const measured: ActionMeasurement = { engine, names: [], preview: [], answered: [], queued: [], cpu: [] }
    for (let round = 0; round < rounds; round++) {
      let names: string[] = []
      measured.names.push(
        (
          await measureWork(async () => {
            names = (await call<{ names: string[] }>('GET', `fleet/names?q=${encodeURIComponent('can:pause')}`)).names
          })
        ).ms,
      )
      if (names.length !== agents) throw new Error(`The filter selects ${names.length} of ${agents} agents.`)
      const wanted = { type: 'set', agents: names, values: { every: 5 + round }, filter: 'can:pause' }
      measured.preview.push((await measureWork(() => call('POST', 'actions/preview', wanted))).ms)
      const used = () => cpuSeconds(service.pid) + (postgres?.pid === undefined ? 0 : cpuSecondsOfAll(postgres.pid))
      const before = used()
      const from = performance.now()
      const { id } = await call<{ id: string }>('POST', 'actions', wanted)
      measured.answered.push(performance.now() - from)
      while (!(await database.isQueued(id))) await sleep(20)
      measured.queued.push(performance.now() - from)
      measured.cpu.push((used() - before) * 1000)
      const { counts } = await call<{ counts: Record<string, number> }>('GET', `actions/${id}`)
      const { skipped = 0, cancelled = 0, failed = 0 } = counts
      if (skipped + cancelled + failed > 0) throw new Error(`Not every command was sent: ${JSON.stringify(counts)}`)
      await sleep(3000)
    }
    return measured
  } finally {
    await load.stop()
    await database.close()
    await service.stop()
  }
}

const caller =
  ({ url }: Service, cookie: string) =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { cookie, origin: url, 'content-type': 'application/json' }
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/api/web/w/${workspace}/${path}`, sent)
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }

/**
 * Opens the database of the running service. `isQueued` reads there whether an action still queues commands, since no
 * answer of the service says so.
 */
async function openDatabase({ file }: Service, url: string | undefined) {
  const isDone = (row: unknown) => (row as { state?: string } | undefined)?.state !== 'queuing'
  if (url === undefined) {
    const db = new DatabaseSync(file, { readOnly: true })
    const select = db.prepare('select state from action where id = ?')
    return {
      isQueued: (id: string) => Promise.resolve(isDone(select.get(id))),
      close: () => Promise.resolve(db.close()),
    }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    isQueued: async (id: string) =>
      isDone((await client.query('select state from action where id = $1', [id])).rows[0]),
    close: () => client.end(),
  }
}
