/** Measures one or more servers that take reports, and starts the servers that several measurements share. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDatabase } from '../common/postgres.ts'
import { type ServiceOptions, startService } from '../common/service.ts'
import { slowDisk } from '../common/slow-disk.ts'
import type { LongestTurn } from '../common/turns.ts'
import { scraped } from './scraped.ts'

/**
 * The load of a measurement. `agents` must be so large that no agent reports more than 60 times a minute (8), however
 * fast the service is.
 */
export interface Load {
  kilobytes: number
  agents: number
  mode: 'keep-alive' | 'close'
}
/** A load, and the database of the service that gets it. */
export interface Setting extends Load {
  postgres?: boolean
  /** The milliseconds by which each sync of the database's files is delayed. */
  syncDelayMs?: number
  /** The seconds between two requests of `/metrics/fleet` of this checkout's service; by default there are none. */
  scrapeSeconds?: number
}
export interface Server {
  name: string
  port: number
  pid: number
  /** The process id of the server's database, if the database is a process besides the server. */
  database?: number | undefined
  /** The file with the turns of its event loop, if they are recorded. */
  turns?: string
  stop(): Promise<void>
}
/**
 * The result of measuring one server. `cpu` and `database` are microseconds of CPU time per report, `rate` is reports
 * per second, `p50` and `p99` are milliseconds. CPU time counts only while the server has the load; otherwise the
 * server's regular work while other servers have the load would count, too.
 */
export interface Measurement {
  cpu: number
  database: number
  rate: number
  p50: number
  p99: number
  errors: number
  /** The longest turn of the server's event loop in a round, if turns are recorded. */
  turn?: LongestTurn
}

/**
 * Measures one server. With `all` the load generator sends until every agent has reported once, so that later reports
 * overwrite rows instead of inserting them.
 */
export async function measure(server: Server, load: Load, seconds: number | 'all'): Promise<Measurement> {
  return (await measureInTurns([server], load, seconds))[0] as Measurement
}

/**
 * The milliseconds for which a server has the load before the next one gets it: short compared to disturbances of the
 * machine, long compared to the time between two commits.
 */
const usualSliceMs = 200

/** Measures several servers for this many seconds each. The load alternates between them. */
export async function measureInTurns(
  servers: readonly Server[],
  { mode, agents, kilobytes }: Load,
  seconds: number | 'all',
  sliceMs: number = usualSliceMs,
): Promise<Measurement[]> {
  const ports = servers.map(({ port }) => port)
  const pids = servers.map(({ pid }) => pid)
  const databases = servers.map(({ database = 0 }) => database)
  const program = join(import.meta.dirname, 'load.ts')
  const args = [ports, pids, databases, mode, seconds, kilobytes, sliceMs].map(String)
  const load = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, SVC_BENCH_AGENTS: String(agents) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const chunk of load.stdout) said += chunk
  return (JSON.parse(said) as LoadOutcome[]).map(({ reports, elapsed, cpu, database, ...rest }) => {
    const each = (used: number) => (used / reports) * 1e6
    return { cpu: each(cpu), database: each(database), rate: reports / elapsed, ...rest }
  })
}

/** The results that the load generator reports for one server. `cpu`, `database` and `elapsed` are seconds. */
interface LoadOutcome extends Pick<Measurement, 'errors' | 'p50' | 'p99' | 'cpu' | 'database'> {
  reports: number
  elapsed: number
}

/** Environment variables with which the process that syncs the database's files is slow (common/slow-disk.ts). */
type SlowDisk = Readonly<Record<string, string>>

/**
 * Calls `work` with the environment variables that delay each sync by `syncDelayMs`; with undefined if this machine has
 * no C compiler.
 */
export async function withDisk<T>(
  { syncDelayMs }: Setting,
  work: (slow: SlowDisk | undefined) => Promise<T>,
): Promise<T> {
  if (syncDelayMs === undefined) return work({})
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-disk-'))
  try {
    return await work(slowDisk(folder, syncDelayMs))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the service with the database of a setting. It is scraped if the setting has `scrapeSeconds`. */
export const startOn = (setting: Setting, slow: SlowDisk, options: ServiceOptions = {}): Promise<Server> =>
  setting.scrapeSeconds === undefined
    ? startPlain(setting, slow, options)
    : scraped(setting.scrapeSeconds, options, (more) => startPlain(setting, slow, more))

const startPlain = ({ postgres, agents }: Setting, slow: SlowDisk, options: ServiceOptions): Promise<Server> =>
  postgres ? onPostgres(agents, slow, options) : startEmbedded(agents, { ...options, env: { ...slow, ...options.env } })

/** Starts the service with SQLite. */
async function startEmbedded(agents: number, options: ServiceOptions = {}): Promise<Server> {
  return { name: 'service', ...withPid(await startService(agents, options)) }
}

/** Starts the service with a new PostgreSQL that syncs every commit. */
async function onPostgres(agents: number, slow: SlowDisk, options: ServiceOptions): Promise<Server> {
  const postgres = await startDatabase(slow)
  const env = { ...options.env, SVC_DATABASE_URL: postgres.url }
  const service = await startService(agents, { ...options, env })
  const stop = async () => {
    await service.stop()
    await postgres.stop()
  }
  return { name: `service, PostgreSQL ${postgres.version}`, ...withPid(service), database: postgres.pid, stop }
}

const withPid = ({ port, pid, stop }: Omit<Server, 'name'>) => ({ port, pid, stop })
