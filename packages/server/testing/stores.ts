/** Opens stores for tests, on both engines: each store is a new, migrated database without rows. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, inject } from 'vitest'
import { atFileEnd } from '../../../testing/cleaning.ts'
import { level } from '../../../testing/level.ts'
import { openEmbedded, openPostgres, type Store } from '../src/platform/db/open.ts'
import { type Cluster, prepare, template } from './postgres-once.ts'
import { writeTemplate } from './sqlite-once.ts'

/** Opens a new store, migrated and without rows, on one engine. */
type OpenStore = () => Promise<Store>
type Engine = 'SQLite' | 'PostgreSQL'
type StoreTests = (open: OpenStore, engine: Engine) => void

/** Both engines by name, each with the function that opens a new store on it. */
export const bothEngines: readonly (readonly [engine: Engine, open: OpenStore])[] = [
  ['SQLite', openTestSqlite],
  ['PostgreSQL', openTestPostgres],
]
/**
 * The engines on which most tests run. `npm test` proves each guarantee once, so it has only SQLite here: a test on
 * PostgreSQL takes twice the processor time. Tests of code that asks for the engine, or that relies on its locks, use
 * `bothEngines` and `onBothEngines`.
 */
export const everyEngine = level === 'short' ? bothEngines.slice(0, 1) : bothEngines

/**
 * Runs the tests in `tests` once on each of `everyEngine`. Stores that a test opens with `open` are closed after the
 * test.
 */
export const onEveryEngine = (name: string, tests: StoreTests): void => onEngines(everyEngine, name, tests)

/** As `onEveryEngine`, but on both engines at every level. */
export const onBothEngines = (name: string, tests: StoreTests): void => onEngines(bothEngines, name, tests)

function onEngines(engines: typeof bothEngines, name: string, tests: StoreTests): void {
  for (const [engine, open] of engines) describe(`${name} (${engine})`, () => tests(closing(open), engine))
}

export function closing(open: () => Promise<Store>): () => Promise<Store> {
  const stores: Store[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
  })
  return async () => {
    const store = await open()
    stores.push(store)
    return store
  }
}

/** Opens a migrated SQLite database in a temporary folder. */
export async function openTestSqlite(): Promise<Store> {
  return openEmbedded(await newSqliteFile())
}

let sqlite: string | undefined

/**
 * Makes a migrated SQLite database and returns its path, for tests that start a service process or open several stores.
 */
export async function newSqliteFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-db-'))
  atFileEnd.push(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'svc.db')
  copyFileSync(await sqliteTemplate(), file)
  return file
}

/**
 * The path of the migrated SQLite database that tests copy: the one of the whole run or, without a global set-up, one
 * made for this test file.
 */
async function sqliteTemplate(): Promise<string> {
  sqlite ??= inject('sqliteTemplate')
  if (sqlite) return sqlite
  const folder = mkdtempSync(join(tmpdir(), 'svc-db-'))
  atFileEnd.push(() => {
    rmSync(folder, { recursive: true, force: true })
    sqlite = undefined
  })
  sqlite = await writeTemplate(folder)
  return sqlite
}

interface UsedCluster extends Cluster {
  /**
   * The connection over which databases are made and dropped. It is kept, because PostgreSQL starts a process for each
   * connection.
   */
  readonly admin: pg.Pool
}

let cluster: Promise<UsedCluster> | undefined
let made = 0

/** Opens a new, migrated PostgreSQL database. */
export async function openTestPostgres(): Promise<Store> {
  const store = openPostgres(await newPostgresDatabase())
  // On a loaded machine PostgreSQL may need longer to start a process for a connection than a service waits for one.
  if (store.engine === 'postgres') store.pool.options.connectionTimeoutMillis = 60_000
  return store
}

/**
 * Makes a PostgreSQL database, migrated or empty, and returns its address, for tests that start a service process or
 * open several stores.
 */
export async function newPostgresDatabase({ empty = false } = {}): Promise<string> {
  cluster ??= clusterOfRun()
  const { address, copying, admin } = await cluster
  const name = `svc_test_${process.pid}_${Date.now()}_${made++}`
  const from = `template ${empty ? 'template0' : template} strategy ${copying}`
  await admin.query(`create database ${name} ${from}`)
  atFileEnd.push(() => admin.query(`drop database if exists ${name} with (force)`))
  return inCluster(address, name)
}

const inCluster = (address: string, database: string): string => address.replace('DATABASE', database)

/**
 * The PostgreSQL cluster in which tests make databases: the one of the whole run or, without a global set-up, one made
 * for this test file.
 */
async function clusterOfRun(): Promise<UsedCluster> {
  const given = inject('postgres')
  if (given) return used(given)
  const { stop, ...own } = await prepare()
  const use = used(own)
  atFileEnd.unshift(async () => {
    cluster = undefined
    await use.admin.end()
    await stop()
  })
  return use
}

function used(given: Cluster): UsedCluster {
  const connectionString = inCluster(given.address, 'postgres')
  const admin = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  admin.on('error', () => {}) // The cluster of the run stops before the process of the tests ends.
  return { ...given, admin }
}
