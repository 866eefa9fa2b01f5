/**
 * Starts the service as people run it, as a process with a data folder of its own, and adds as many agents as a
 * measurement needs.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { databaseFile } from '../../packages/server/src/platform/data-folder.ts'
import { openEmbedded, openPostgres, type Store } from '../../packages/server/src/platform/db/open.ts'
import { newId } from '../../packages/server/src/platform/ids.ts'
import { dayNumber } from '../../packages/server/src/platform/limits/units.ts'
import { hashToken } from '../../packages/server/src/platform/tokens.ts'
import { addWorkspace } from '../../packages/server/testing/test-workspace.ts'
import { atExit, killAtExit } from '../../testing/at-exit.ts'
import { freePort } from '../../testing/free-port.ts'
import { tokenOf } from './fleet.ts'

const thisCheckout = join(import.meta.dirname, '../..')
export const workspace = 'bench'

export interface Service {
  readonly port: number
  readonly url: string
  readonly pid: number
  /** The file of the SQLite database. */
  readonly file: string
  /**
   * Stops the service with SIGTERM, as a supervisor does, and starts it again with the same data. Returns the seconds
   * from the signal until the service accepted connections again.
   */
  restart(): Promise<number>
  /** Stops the service, lets `work` use its store, and starts the service again. */
  offline<T>(work: (store: Store) => Promise<T>): Promise<T>
  /** Opens the database beside the running service, for reading. */
  open(): Store
  /** The data folder of the service. */
  readonly dataDir: string
  /** Runs the command `svc-server … --json` with `input` as its standard input, and returns its parsed output. */
  operator<T>(args: string[], input?: string): T
  stop(): Promise<void>
}

export interface ServiceOptions {
  /** The e-mail addresses of the admins to create. */
  people?: string[]
  /** Extra environment variables, such as SVC_DATABASE_URL. */
  env?: Record<string, string>
  /** The number of finished runs that each agent already has at the start; only possible with SQLite. */
  oldRuns?: number
  /** True if each agent has tags and 30 days of costs, with two rows a day. */
  history?: boolean
  /** The folder of the checkout whose service is started. The default is the checkout of this file. */
  checkout?: string
}

/**
 * Starts a service that has `agents` agents. None of them has reported yet, unless they have old runs. Agent number n,
 * counted from 0, has the token `tokenOf(n)`.
 */
export async function startService(agents: number, options: ServiceOptions = {}): Promise<Service> {
  const { people = [], oldRuns = 0, history = false, checkout = thisCheckout } = options
  const program = join(checkout, 'packages/server/src/main.ts')
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const port = await freePort()
  const env = {
    PATH: process.env.PATH ?? '',
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_PORT: String(port),
    SVC_METRICS_PORT: '0',
    SVC_LOG_LEVEL: 'warn',
    SVC_RELEASE_DIR: join(folder, 'none'),
    ...options.env,
  }
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const forget = atExit(remove)
  // The service is started once to create the tables before agents are inserted, so that a service of another checkout
  // gets the tables of its own version.
  await end(await startProcess(program, folder, env))
  await seed(env, agents, { oldRuns, history })
  const operator = <T>(args: string[], input = ''): T =>
    JSON.parse(
      execFileSync(process.execPath, [program, ...args, '--json'], { cwd: folder, env, input, encoding: 'utf8' }),
    )
  for (const email of people)
    operator(['person', 'create', email, '--name', email, '--workspace', workspace, '--role', 'admin'], password)
  let child = await startProcess(program, folder, env)
  return {
    port,
    url: `http://localhost:${port}`,
    file: databaseFile(env.SVC_DATA_DIR),
    get pid() {
      return child.pid ?? 0
    },
    async restart() {
      const from = performance.now()
      await end(child)
      child = await startProcess(program, folder, env)
      return (performance.now() - from) / 1000
    },
    async offline(work) {
      await end(child)
      const store = openStore(env)
      try {
        return await work(store)
      } finally {
        await store.close()
        child = await startProcess(program, folder, env)
      }
    },
    open: () => openStore(env),
    dataDir: env.SVC_DATA_DIR,
    operator,
    async stop() {
      await end(child)
      forget()
      remove()
    },
  }
}

export const password = 'correct horse battery'

interface Database {
  SVC_DATA_DIR: string
  SVC_DATABASE_URL?: string
}
const openStore = ({ SVC_DATABASE_URL: url, SVC_DATA_DIR }: Database): Store =>
  url === undefined ? openEmbedded(databaseFile(SVC_DATA_DIR)) : openPostgres(url)

async function seed(
  env: Database,
  agents: number,
  { oldRuns, history }: { oldRuns: number; history: boolean },
): Promise<void> {
  const store = openStore(env)
  const { id } = await addWorkspace(store, workspace, true, Date.now())
  await addAgents(store, id, agents)
  if (oldRuns > 0) addOldRuns(store, oldRuns)
  if (history) await addHistory(store)
  await store.close()
}

/**
 * Inserts the old runs of one agent after those of another. That takes a tenth of the time of inserting one run for
 * each agent in turn, and the indexes are the same in the end.
 */
function addOldRuns(store: Store, each: number): void {
  if (store.engine !== 'sqlite') throw new Error('Old runs are made on the embedded engine only.')
  const now = Date.now()
  const runs = Array.from({ length: each }, (_, i) => {
    const [id, started] = [`old-${i}`, Math.floor(now / 1000) - (each - i) * 1800]
    const subjects = [{ title: `Mail number ${i} about the meeting`, url: `https://mail.example/m/${i}`, share: 1 }]
    return { id, started, ended: started + 240, kind: 'triage', status: 'done', subjects, log: id }
  })
  store.sqlite.exec('begin')
  store.sqlite
    .prepare(
      `insert into run (agent_id, id, place, first_seen, started, ended, status, kind, body)
       select agent.id, value ->> 'id', value ->> 'started' * 1000, value ->> 'started' * 1000, value ->> 'started',
       value ->> 'ended', 'done', 'triage', value from agent cross join json_each(?) order by agent.id, key`,
    )
    .run(JSON.stringify(runs))
  store.sqlite
    .prepare(
      `insert into agent_report (agent_id, received_at, level, controls, interval_s, reporters, runs_kept, body)
       select id, ?, 'ok', '[]', 30, '', ?, '{"protocol":1}' from agent`,
    )
    .run(now - 60_000, each)
  store.sqlite.exec('commit')
}

/**
 * Gives every agent three tags and 30 days of costs. Each day has two rows: one for the sum of all models (`''`), and
 * one for the only model.
 */
async function addHistory({ db }: Store): Promise<void> {
  const today = dayNumber(Date.now())
  const number = sql`cast(substr(name, 7) as integer)`
  await sql`insert into agent_tag (agent_id, tag)
    select id, case when ${number} % 2 = 0 then 'eu' else 'us' end from agent union all
    select id, case when ${number} % 3 = 0 then 'test' else 'prod' end from agent union all
    select id, 'team-' || (${number} % 20) from agent`.execute(db)
  await sql`with recursive back(days) as (select 0 union all select days + 1 from back where days < 29)
    insert into usage_day (agent_id, day, model, runs, cost_micro, output_tokens)
    select id, ${sql.lit(today)} - days, model, 20, 1000 * (${number} % 50), 40000
    from agent cross join back cross join (select '' as model union all select 'large-2') as models
    order by id, 2, model`.execute(db)
}

async function addAgents(store: Store, workspaceId: string, agents: number): Promise<void> {
  const now = Date.now()
  const atOnce = 1000
  await store.db.transaction().execute(async (trx) => {
    for (let from = 0; from < agents; from += atOnce) {
      const rows = Array.from({ length: Math.min(atOnce, agents - from) }, (_, i) => ({
        id: newId(now),
        workspace_id: workspaceId,
        name: `agent-${from + i}`,
        token_hash: hashToken(tokenOf(from + i)),
        created_at: now,
        created_by: null,
        blueprint: null,
      }))
      await trx.insertInto('agent').values(rows).execute()
    }
  })
}

async function startProcess(program: string, cwd: string, env: Record<string, string>): Promise<ChildProcess> {
  const flags = process.env.SVC_BENCH_NODE?.split(' ') ?? []
  const child = spawn(process.execPath, [...flags, program, 'start', '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killAtExit(child)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The service ended with ${code} before it was ready.`)
  })
  await Promise.race([once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line'), ended])
  ended.catch(() => {})
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
