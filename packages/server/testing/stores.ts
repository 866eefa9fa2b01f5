/** Opens stores for tests, on both engines: each store is a new, migrated database without rows. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, inject } from 'vitest'
import { atFileEnd } from '../../../scripts/testing/cleaning.ts'
import { openEmbedded, openPostgres, type Store } from '../src/db/open.ts'
import { once } from './postgres.ts'
import { type Cluster, prepare, template } from './postgres-once.ts'
import { writeTemplate } from './sqlite-once.ts'

/**
 * Runs the tests in `tests` once on SQLite and once on PostgreSQL. Stores that a test opens with `open` are closed
 * after the test.
 */
export function everyEngine(
  name: string,
  tests: (open: () => Promise<Store>, engine: 'SQLite' | 'PostgreSQL') => void,
): void {
  describe(`${name} (SQLite)`, () => tests(closing(openTestSqlite), 'SQLite'))
  describe(`${name} (PostgreSQL)`, () => tests(closing(openTestPostgres), 'PostgreSQL'))
}

function closing(open: () => Promise<Store>): () => Promise<Store> {
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

let cluster: Promise<Cluster> | undefined
let made = 0

/** Opens a new, migrated PostgreSQL database. */
export async function openTestPostgres(): Promise<Store> {
  return openPostgres(await newPostgresDatabase())
}

/**
 * Makes a PostgreSQL database, migrated or empty, and returns its address, for tests that start a service process or
 * open several stores.
 */
export async function newPostgresDatabase({ empty = false } = {}): Promise<string> {
  cluster ??= clusterOfRun()
  const of = (database: string, base: string) => base.replace('DATABASE', database)
  const { address: base, copying } = await cluster
  const name = `svc_test_${process.pid}_${Date.now()}_${made++}`
  const from = `template ${empty ? 'template0' : template} strategy ${copying}`
  await once(of('postgres', base), `create database ${name} ${from}`)
  atFileEnd.push(() => once(of('postgres', base), `drop database if exists ${name} with (force)`))
  return of(name, base)
}

/**
 * The PostgreSQL cluster in which tests make databases: the one of the whole run or, without a global set-up, one made
 * for this test file.
 */
async function clusterOfRun(): Promise<Cluster> {
  const given = inject('postgres')
  if (given) return given
  const { stop, ...own } = await prepare()
  atFileEnd.unshift(async () => {
    cluster = undefined
    await stop()
  })
  return own
}
