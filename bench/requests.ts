/**
 * Measures what each operation of people costs with the largest input that it accepts, in a workspace of 10,000 agents
 * and on both databases: the CPU of the service until the answer, and the longest turn of its event loop until a moment
 * later. The operations are those of packages/api that list something of a workspace or take a thousand names
 * (requests/largest.ts). `--only` measures those whose route contains a text.
 *
 *   npm run bench -- requests [--agents 10000] [--rounds 5] [--only rollouts]
 */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Store } from '../packages/server/src/platform/db/open.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { startDatabase } from './common/postgres.ts'
import { type Service, startService, workspace } from './common/service.ts'
import { signIn } from './common/sign-in.ts'
import { count, fixed, table } from './common/table.ts'
import { measureWork, median } from './common/times.ts'
import { longestTurn, notingTurns, recordingsFolder } from './common/turns.ts'
import { cpuSecondsOfThreads } from './common/usage.ts'
import { startLoad } from './fleet/load.ts'
import { type LargestRequest, largestOf, type Names } from './requests/largest.ts'

/** The limits: the CPU of a request as a multiple of what `limitOf` measures, and the milliseconds of a turn. */
const limits = { ratio: 5, turn: 50 } as const
/** The milliseconds after the answer for which turns count, since some operations go on after it. */
const afterMs = 600
const person = 'person-0@example.org'

export async function benchRequests(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      agents: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
    },
  })
  const asked = { agents: Number(values.agents), rounds: Number(values.rounds), only: values.only }
  const embedded = await measureEngine('SQLite', asked, {})
  const postgres = await startDatabase()
  try {
    const env = { SVC_DATABASE_URL: postgres.url }
    return [embedded, await measureEngine(`PostgreSQL ${postgres.version}`, asked, env)].join('\n\n')
  } finally {
    await postgres.stop()
  }
}

interface RequestOptions {
  agents: number
  rounds: number
  /** Only operations whose route contains this text are measured. */
  only: string
}

async function measureEngine(engine: string, asked: RequestOptions, env: Record<string, string>): Promise<string> {
  const turns = `${recordingsFolder}/svc-bench-requests-${process.pid}`
  const service = await startService(asked.agents, {
    people: [person],
    env: { ...env, ...notingTurns(turns) },
    history: true,
  })
  try {
    await service.offline((store) => fill(store))
    await reportOnce(service, asked.agents)
    const limit = await limitOf(service)
    return text(await measure(service, turns, asked), { ...asked, engine, limit })
  } finally {
    await service.stop()
    rmSync(turns, { force: true })
  }
}

/** Adds a version that the agents may get, and alerts that are open. */
async function fill({ db }: Store): Promise<void> {
  const { id } = await db.selectFrom('workspace').select('id').where('slug', '=', workspace).executeTakeFirstOrThrow()
  const now = Date.now()
  await db.insertInto('blueprint').values({ id: 'b', workspace_id: id, name: 'mail', created_at: now }).execute()
  await db
    .insertInto('blueprint_version')
    .values({
      ...{ id: 'v', blueprint_id: 'b', version: '2.0.0', description: '', sha256: '', size: 0, uploaded_at: now },
      ...{ uploaded_by: null, uploaded_by_name: 'x', manifest: '{}', files: '[]', bundle: Buffer.alloc(0) },
    })
    .execute()
  await db.updateTable('agent').set({ blueprint: 'mail' }).execute()
  const agents = await db.selectFrom('agent').select(['id', 'name']).limit(1000).execute()
  for (const agent of agents)
    await db
      .insertInto('alert')
      .values({
        ...{ id: newId(now), scope: id, workspace_id: id, rule: 'bad', level: 'bad', phase: 'open' },
        ...{ subject_kind: 'agent', subject_id: agent.id, subject_name: agent.name, phase_since: now, since: now },
        ...{ openings: '[]', opened_at: now, told: 'nothing', reminders: 0, frozen: 0, muted: 1, version: 1 },
      })
      .execute()
}

/** Lets each agent report once. */
async function reportOnce({ port }: Service, agents: number): Promise<void> {
  const load = await startLoad({ port, agents, connections: Math.min(agents, 5000), interval: 30 })
  await sleep(33_000)
  await load.stop()
}

/** The CPU in milliseconds of one statement that reads the last report of every agent, and of reading its JSON. */
async function limitOf(service: Service): Promise<number> {
  const store = service.open()
  try {
    const read = async () => {
      const rows = await store.db.selectFrom('agent_report').select(['agent_id', 'body']).execute()
      return rows.map(({ body }) => JSON.parse(body ?? '{}') as unknown)
    }
    const times: number[] = []
    for (let i = 0; i < 11; i++) times.push((await measureWork(read)).cpu)
    return median(times.slice(1))
  } finally {
    await store.close()
  }
}

interface RequestMeasurement {
  route: string
  cpu: number[]
  /** The CPU times of the longest turns of the event loop. */
  turns: number[]
}

async function measure(
  service: Service,
  turns: string,
  { rounds, only }: RequestOptions,
): Promise<RequestMeasurement[]> {
  const cookie = await signIn(service, person)
  const send = async ({ method, path, body }: LargestRequest): Promise<unknown> => {
    const headers = { cookie, origin: service.url, 'content-type': 'application/json' }
    const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`${service.url}/api/web/w/${workspace}${path}`, sent)
    const said = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${said.slice(0, 300)}`)
    return answer.headers.get('content-type') === 'application/json' ? JSON.parse(said) : undefined
  }
  const get = (path: string) => send({ method: 'GET', path })
  const { names: agents } = (await get('/fleet/names')) as { names: string[] }
  const alerts = (await get('/alerts?all=true&limit=1000')) as { id: string }[]
  const known: Names = { now: Date.now(), agents, alerts: alerts.map(({ id }) => id), made: new Map() }
  const all = new Map<string, RequestMeasurement>()
  // The first round compiles the code.
  for (let round = 0; round <= rounds; round++)
    for (const { route, request } of largestOf(known).filter((one) => one.route.includes(only))) {
      console.error(`requests: round ${round}, ${route}`)
      const at = Date.now()
      const before = cpuSecondsOfThreads(service.pid)
      const said = await send(request(round))
      const cpu = (cpuSecondsOfThreads(service.pid) - before) * 1000
      await sleep(afterMs)
      const id = (said as { id?: string } | undefined)?.id
      if (id !== undefined) known.made.set(route, id)
      if (round === 0) continue
      const measured = all.get(route) ?? { route, cpu: [], turns: [] }
      measured.cpu.push(cpu)
      measured.turns.push(longestTurn(turns, at).work)
      all.set(route, measured)
    }
  return [...all.values()]
}

function text(
  all: readonly RequestMeasurement[],
  { engine, limit, agents, rounds }: RequestOptions & { engine: string; limit: number },
) {
  const figures = all
    // The median and the minimum count, since the sweeper runs during some rounds of an operation, but not all.
    .map(({ route, cpu, turns }) => ({ route, cpu: median(cpu), turn: Math.min(...turns) }))
    .sort((a, b) => b.cpu - a.cpu)
  const rows = figures.map(({ route, cpu, turn }) => [
    `\`${route}\``,
    fixed(cpu),
    fixed(cpu / limit, 2),
    fixed(turn),
    fixed(turn / limits.turn, 2),
  ])
  const above = figures.filter(({ cpu, turn }) => cpu / limit > limits.ratio || turn > limits.turn)
  return [
    `Operations with their largest input in a workspace of ${count(agents)} agents, ${engine}; milliseconds of CPU, medians of ${rounds} rounds, and for turns the shortest of the longest. The limit, one statement that reads the last report of every agent, and JSON.parse of them, takes ${fixed(limit)} ms.`,
    table(['operation', 'CPU', '÷ limit', 'longest turn', `÷ ${limits.turn} ms`], rows),
    above.length === 0
      ? `Every operation takes at most ${limits.ratio} × the limit, and no turn takes more than ${limits.turn} ms.`
      : `ABOVE ${limits.ratio} × the limit, or ${limits.turn} ms in a turn: ${above.map(({ route }) => route).join(', ')}.`,
  ].join('\n\n')
}
