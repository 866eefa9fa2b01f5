import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { newSqliteFile } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { CommitUnknown } from '../../agent-api/report-store/rows.ts'
import { healthOf } from '../../service/ops/health.ts'
import { logLock } from '../../service/service.ts'
import { openServiceLog as openLines } from '../log.ts'
import { durableDialect, openWriteAheadLog } from './durable.ts'
import { isDatabaseFailure } from './error.ts'
import { openEmbedded, type Store } from './open.ts'
import { openSqlite } from './sqlite.ts'
import type { Tables } from './tables.ts'
import { createWriterLock } from './writer-lock.ts'

const opened: Store[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

type SqliteStore = Extract<Store, { engine: 'sqlite' }>

/** Opens a store on a simulated disk, which syncs only when the test permits it, and counts its syncs. */
async function onDisk(lock = createWriterLock()): Promise<{ store: SqliteStore; file: string; disk: Disk }> {
  const file = await newSqliteFile()
  const disk = new Disk()
  const sqlite = openSqlite(file)
  const log = openWriteAheadLog(sqlite, file, disk)
  const db = new Kysely<Tables>({ dialect: durableDialect(sqlite, log, lock) })
  const store: SqliteStore = {
    engine: 'sqlite',
    db,
    sqlite,
    log,
    lock,
    close: () => db.destroy().then(() => log.close()),
  }
  opened.push(store)
  return { store, file, disk }
}

class Disk {
  syncs = 0
  /** The number of syncs in the calling thread. They also count in `syncs`. */
  here = 0
  error: Error | undefined
  /** The milliseconds that a sync in the calling thread takes. */
  takes = 0
  at = 0
  #gate: Promise<void> = Promise.resolve()

  clock = () => this.at
  sync = () => {
    this.syncs++
    this.here++
    this.at += this.takes
    if (this.error) throw this.error
  }
  syncInThread = async () => {
    this.syncs++
    await this.#gate
    if (this.error) throw this.error
  }
  /** Makes syncs wait until the returned function is called. */
  stop(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#gate = promise
    return resolve
  }
}

/** Resolves when all work is done that need not wait for the disk. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

const insert = (db: Kysely<Tables>, name: string) => sql`insert into note values (${name})`.execute(db)
const notes = async ({ db }: SqliteStore) =>
  (await sql<{ name: string }>`select name from note`.execute(db)).rows.map(({ name }) => name)

test.each([
  ['a statement', (db: Kysely<Tables>) => insert(db, 'a')],
  ['a transaction', (db: Kysely<Tables>) => db.transaction().execute((trx) => insert(trx, 'a'))],
])('%s is done only when the disk has it, and others are served meanwhile', async (_name, write) => {
  const { store, disk } = await onDisk()
  await sql`create table note (name text)`.execute(store.db)
  const goOn = disk.stop()
  let done = false
  const writing = write(store.db).then(() => {
    done = true
  })
  await idle()
  expect([done, store.sqlite.prepare('select count(*) as n from note').get()]).toEqual([false, { n: 1 }])
  goOn()
  await writing
  expect(await notes(store)).toEqual(['a'])
})

test('reading needs no sync, and a statement in a transaction none of its own', async () => {
  const { store, disk } = await onDisk()
  await sql`create table note (name text)`.execute(store.db)
  const before = disk.syncs
  await notes(store)
  await store.db.selectFrom('agent').selectAll().execute()
  expect(disk.syncs).toBe(before)
  await store.db.transaction().execute(async (trx) => {
    await insert(trx, 'a')
    await insert(trx, 'b')
  })
  expect(disk.syncs).toBe(before + 1)
})

test('commits during a sync share the next one', async () => {
  const { store, disk } = await onDisk()
  const goOn = disk.stop()
  const before = disk.syncs
  const all = Array.from({ length: 10 }, () => store.log.sync())
  await idle()
  expect(disk.syncs).toBe(before + 1)
  goOn()
  await Promise.all(all)
  expect(disk.syncs).toBe(before + 2)
})

/** Makes one slow sync, after which another thread syncs for 10 s. */
async function beSlow({ log }: SqliteStore, disk: Disk): Promise<void> {
  disk.takes = 20
  await log.sync(1)
  disk.takes = 0
}

test('another thread syncs large commits, and for 10 s after a slow sync all commits', async () => {
  const { store, disk } = await onDisk()
  await newTestWorkspace(store)
  expect(disk.here).toBe(0)
  const isSyncedHere = async (bytes: number) => {
    const [before, all] = [disk.here, disk.syncs]
    await store.log.sync(bytes)
    expect(disk.syncs).toBe(all + 1)
    return disk.here > before
  }
  expect([await isSyncedHere(256 * 1024), await isSyncedHere(256 * 1024 + 1)]).toEqual([true, false])
  await beSlow(store, disk)
  expect(await isSyncedHere(1)).toBe(false)
  disk.at += 9_999
  expect(await isSyncedHere(1)).toBe(false)
  disk.at += 1
  expect(await isSyncedHere(1)).toBe(true)
})

test('a small batch is synced in the calling thread, a large one in another', async () => {
  const { store, disk } = await onDisk()
  const { decide } = reporting(await newTestWorkspace(store))
  await decide({ state: { level: 'ok' } })
  expect(disk.here).toBe(1)
  const all = disk.syncs
  await decide({ note: 'x'.repeat(256 * 1024) })
  expect([disk.here, disk.syncs]).toEqual([1, all + 1])
})

test('a small commit does not overtake the sync of a large one', async () => {
  const { store, disk } = await onDisk()
  await newTestWorkspace(store)
  const goOn = disk.stop()
  const large = store.log.sync()
  const small = store.log.sync(1)
  await idle()
  expect(disk.here).toBe(0)
  goOn()
  await Promise.all([large, small])
})

test('a report is answered only when the disk has it', async () => {
  const { store, disk } = await onDisk()
  const w = await newTestWorkspace(store)
  await beSlow(store, disk)
  const goOn = disk.stop()
  let answered = false
  const report = reporting(w)
    .decide({ state: { level: 'bad' } })
    .then((decision) => {
      answered = true
      return decision
    })
  await idle()
  expect(await store.db.selectFrom('agent_report').select('level').execute()).toEqual([{ level: 'bad' }])
  expect(answered).toBe(false)
  goOn()
  expect(await report).toMatchObject({ ok: true })
})

test('after a failed sync nothing is durable before the whole log is in the database file', async () => {
  const { store, file, disk } = await onDisk()
  const w = await newTestWorkspace(store)
  await sql`create table note (name text)`.execute(store.db)
  const log = () => statSync(`${file}-wal`).size
  const before = log()
  disk.error = new Error('EIO: i/o error, fdatasync')
  const { decide } = reporting(w)
  await expect(decide({ state: { level: 'bad' } })).rejects.toThrow(CommitUnknown)
  disk.error = undefined

  const reader = openEmbedded(file) as SqliteStore
  opened.push(reader)
  store.sqlite.exec('pragma busy_timeout = 0')
  reader.sqlite.exec('begin; select * from agent_report')
  await expect(insert(store.db, 'a')).rejects.toThrow('could not be copied')
  await expect(store.db.transaction().execute((trx) => insert(trx, 'b'))).rejects.toThrow('could not be copied')
  expect(log()).toBeGreaterThanOrEqual(before)

  reader.sqlite.exec('rollback')
  const syncs = disk.syncs
  await insert(store.db, 'c')
  expect([log(), disk.syncs]).toEqual([0, syncs])
  expect(await decide({ state: { level: 'ok' } })).toMatchObject({ ok: true })
  expect(disk.syncs).toBe(syncs + 1)
})

test('what is synced is the log beside the database file', async () => {
  const store = openEmbedded(`${await newSqliteFile()}-other`) as SqliteStore
  opened.push(store)
  await expect(store.log.sync()).rejects.toThrow('-other-wal')
})

describe('while another program holds the lock of the file', () => {
  /** Opens a store that waits no time for the lock, and a connection of another program that holds it. */
  async function locked() {
    const waits: number[] = []
    const lock = createWriterLock(
      () => Date.UTC(2026, 0, 2),
      async (ms) => waits.push(ms),
    )
    const { store, file, disk } = await onDisk(lock)
    const w = await newTestWorkspace(store)
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec('begin immediate')
    return { w, store, other, waits, disk }
  }
  const writes: [string, (store: SqliteStore, w: TestWorkspace) => Promise<unknown>][] = [
    ['a statement', (store) => store.db.updateTable('agent').set({ name: 'x' }).execute()],
    ['a transaction', (store) => store.db.transaction().execute((trx) => trx.deleteFrom('log').execute())],
    ['a batch of reports', (_, w) => reporting(w).decide({ state: { level: 'bad' } })],
  ]

  test.each(writes)('%s gives up after a second, the next at once, and reading goes on', async (_what, write) => {
    const { w, store, other, waits } = await locked()
    const lines: { level: string; msg: string }[] = []
    const log = openLines('info', { write: (line) => void lines.push(JSON.parse(line)) })
    logLock(store.lock, log)
    const says = /^Another program holds the lock of svc\.db, since 2026-01-02T00:00:00Z\. .*docs\/operator\.md/
    await expect(write(store, w)).rejects.toThrow(says)
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(1000)
    const error = await write(store, w).catch((thrown) => thrown)
    expect([isDatabaseFailure(error), waits.length]).toEqual([true, 40])
    expect((await store.db.selectFrom('agent').select('id').execute()).length).toBe(1)
    expect(await store.db.transaction().execute((trx) => trx.selectFrom('agent').select('id').execute())).toHaveLength(
      1,
    )
    expect(await healthOf(store, Date.now)()).toEqual({ ok: false, message: expect.stringMatching(says) })

    for (const failed of [error, new Error('a round', { cause: error }), new AggregateError([error])])
      log.warn({ err: failed }, 'failed')
    log.warn({ err: new Error('another') }, 'failed')

    other.exec('rollback')
    for (let i = 0; i < 2; i++) await write(store, w)
    expect(store.lock.heldSince).toBeUndefined()
    expect(lines).toMatchObject([
      { level: 'error', msg: expect.stringMatching(says) },
      { level: 'warn', err: { message: 'another' } },
      { level: 'info', msg: 'the lock of svc.db is free again' },
    ])
  })

  test.each(writes)('%s that gets the lock within the second succeeds', async (_what, write) => {
    const { w, store, other, waits } = await locked()
    const writing = write(store, w)
    waits.push = (...ms: number[]) => {
      if (other.isTransaction) other.exec('rollback')
      return Array.prototype.push.apply(waits, ms)
    }
    await writing
    expect(store.lock.heldSince).toBeUndefined()
  })
})
