/**
 * Detects that the database lost commits, as after a failover to a standby that was behind. Each node regularly raises
 * a count in its own row, and remembers the last confirmed count in memory and in a file in the data folder. A database
 * with a lower count has lost commits.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import { isPostgres } from './db/engine.ts'
import type { Db, Store } from './db/open.ts'
import type { Tables } from './db/tables.ts'
import { transaction } from './db/transaction.ts'
import { newId } from './ids.ts'
import { dayMs } from './limits/units.ts'
import { createLoop } from './loop.ts'

/**
 * The milliseconds after which a node raises its count again. A loss on PostgreSQL is always noticed if it covers at
 * least this time. The embedded database loses commits only while the service is stopped, so a long time is enough.
 */
const everyMs = { postgres: 1_000, sqlite: 60_000 }
const keptMs = 90 * dayMs

/** The last count that the database confirmed to this node. */
export interface ConfirmedCount {
  /** The id of the history of the database. A restore with `svc-server restore` begins a new history. */
  epoch: string
  node: string
  count: number
  /** The time of the count, in Unix milliseconds. */
  at: number
}

/** The history of the database and the last count of the node, as they are stored. */
export interface StoredCount {
  epoch: string | undefined
  row: Pick<ConfirmedCount, 'count' | 'at'> | undefined
}

/** A time span whose commits are missing; `from` is null if it is not known. */
export interface CommitLoss {
  from: number | null
  until: number
}

/** Compares the count that a node remembers with the stored one. Returns the loss if the database lost commits. */
export function commitLossOf(known: ConfirmedCount | undefined, { epoch, row }: StoredCount): CommitLoss | undefined {
  // With another epoch, this is the database of another service, or a restore has started a new history.
  if (known === undefined || epoch !== known.epoch) return undefined
  if (row !== undefined && row.count >= known.count) return undefined
  return { from: row?.at ?? null, until: known.at }
}

/** Changes stored data when commits are lost. It runs in the transaction that records the loss. */
type OnLoss = (trx: Db, now: number) => Promise<void>

/**
 * Raises the stored count of the node, and records a loss if the database lost commits. Changes nothing in a read-only
 * copy.
 */
async function count(
  db: Db,
  { known, node, onLoss, now }: { known: () => ConfirmedCount | undefined; node: string; onLoss: OnLoss; now: number },
): Promise<{ mark?: ConfirmedCount; loss?: CommitLoss }> {
  return transaction(db, async (trx) => {
    if (await isCopy(trx)) return {}
    const found = await read(trx, node)
    const before = known()
    const loss = commitLossOf(before, found)
    if (loss) {
      await noteLoss(trx, loss, now)
      await onLoss(trx, now)
    }
    const epoch = found.epoch ?? (await newEpoch(trx))
    const knownCount = before?.epoch === epoch ? before.count : 0
    const mark = { epoch, node, count: Math.max(found.row?.count ?? 0, knownCount) + 1, at: now }
    const row = { node, count: mark.count, at: now }
    await trx
      .insertInto('node_mark')
      .values(row)
      .onConflict((oc) => oc.column('node').doUpdateSet(row))
      .execute()
    return { mark, ...(loss && { loss }) }
  })
}

/** True on a standby. Its older data do not mean that the database that takes the writes has lost commits. */
async function isCopy(db: Db): Promise<boolean> {
  if (!isPostgres(db)) return false
  const { rows } = await sql<{ copy: boolean }>`select pg_is_in_recovery() as copy`.execute(db)
  return rows[0]?.copy === true
}

async function read(db: Db, node: string): Promise<StoredCount> {
  const epoch = await db.selectFrom('agreed').select('value').where('name', '=', epochName).executeTakeFirst()
  const row = await db
    .selectFrom('node_mark')
    .select(['count', 'at'])
    .where('node', '=', node)
    .$if(isPostgres(db) && db.isTransaction, (query) => query.forUpdate())
    .executeTakeFirst()
  return { epoch: epoch?.value, row }
}

const epochName = 'epoch'

async function newEpoch(trx: Db): Promise<string> {
  const row = { name: epochName, value: randomUUID() }
  await trx
    .insertInto('agreed')
    .values(row)
    .onConflict((oc) => oc.column('name').doNothing())
    .execute()
  return (await trx.selectFrom('agreed').select('value').where('name', '=', epochName).executeTakeFirstOrThrow()).value
}

async function noteLoss(trx: Db, { from, until }: CommitLoss, now: number): Promise<void> {
  const row = { id: newId(now), noticed_at: now, lost_from: from, lost_until: until }
  await trx.insertInto('service_back').values(row).execute()
}

/** The time span whose commits are missing and about which the operator has not decided yet; undefined if none is. */
export async function undecidedLoss(db: Db): Promise<(CommitLoss & { noticedAt: number }) | undefined> {
  const rows = await db.selectFrom('service_back').selectAll().orderBy('noticed_at').execute()
  const [first] = rows
  if (!first) return undefined
  const starts = rows.map((row) => row.lost_from)
  return {
    from: starts.includes(null) ? null : Math.min(...starts.map(Number)),
    until: Math.max(...rows.map((row) => row.lost_until)),
    noticedAt: first.noticed_at,
  }
}

/** A sentence about the changes that are missing, with the times in UTC. */
export function lossWords({ from, until }: CommitLoss): string {
  const times = from === null ? `before ${iso(until)}` : `between ${iso(from)} and ${iso(until)}`
  return `The database went back: changes that were committed ${times} are missing.`
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Begins a new history, after a restore has renewed all access. No node then takes the older counts for a loss. */
export async function beginHistory(trx: Db): Promise<void> {
  await trx.deleteFrom('service_back').execute()
  await trx.deleteFrom('node_mark').execute()
  await trx.deleteFrom('agreed').where('name', '=', epochName).execute()
  await newEpoch(trx)
}

interface Marks {
  /** Raises the count now. Resolves when it is confirmed, or rejects if the database does not answer. */
  count(): Promise<void>
  /**
   * Ends the regular raising. On the embedded database the count is raised once more, so that the file is as new as the
   * database.
   */
  stop(): Promise<void>
}

interface MarksNeeds {
  store: Store
  /** The folder of the file that remembers the count between two starts. */
  dataDir: string
  log: Pick<Logger, 'error' | 'debug'>
  onLoss: OnLoss
  now: () => number
}

/**
 * Starts to raise the node's count, at once and then regularly. On PostgreSQL the stored count is also compared over
 * each new connection before the connection is used, because a failover ends all connections: no command is delivered
 * before a loss is noticed.
 */
export async function startMarks({ store, dataDir, log, onLoss, now }: MarksNeeds): Promise<Marks> {
  let known = readMark(dataDir)
  const node = known?.node ?? newId(now())

  async function countOn(db: Db): Promise<void> {
    const { mark, loss } = await count(db, { known: () => known, node, onLoss, now: now() })
    if (loss) log.error({ ...loss, node }, wentBack)
    if (!mark || (known?.epoch === mark.epoch && known.count >= mark.count)) return
    known = mark
    writeMark(dataDir, mark, log)
  }

  const counts = createLoop(
    () => everyMs[store.engine],
    () => countOn(store.db),
    (error) => log.debug({ err: error }, 'the commits could not be counted; tried again soon'),
  )
  await counts.run()
  await store.db
    .deleteFrom('node_mark')
    .where('at', '<', now() - keptMs)
    .execute()
  if (store.engine === 'postgres')
    store.checkConnections(async (client) => {
      const db = onClient(client)
      if (commitLossOf(known, await read(db, node))) await countOn(db)
    })
  counts.start()
  return {
    count: counts.run,
    async stop() {
      await counts.stop()
      if (store.engine === 'sqlite') await counts.run().catch(() => {})
    },
  }
}

const wentBack =
  'the database went back: changes that were committed are missing. "svc-server database status" says what to do'

/** Returns a database whose queries use one connection. The owner of the connection has to close it. */
function onClient(client: pg.ClientBase): Db {
  const borrowed = { query: client.query.bind(client), release: () => {} }
  const pool = { connect: async () => borrowed, end: async () => {} }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
}

const fileOf = (dataDir: string) => join(dataDir, 'mark.json')

/** The confirmed count in the file of the data folder; undefined if there is none or it cannot be read. */
function readMark(dataDir: string): ConfirmedCount | undefined {
  try {
    const { epoch, node, count, at } = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Partial<ConfirmedCount>
    if (typeof epoch !== 'string' || typeof node !== 'string') return undefined
    return Number.isSafeInteger(count) && Number.isSafeInteger(at)
      ? ({ epoch, node, count, at } as ConfirmedCount)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Remembers the confirmed count for the next start. An older count in the file is harmless, so an error is only logged.
 */
function writeMark(dataDir: string, mark: ConfirmedCount, log: Pick<Logger, 'debug'>): void {
  const file = fileOf(dataDir)
  try {
    writeFileSync(`${file}.tmp`, JSON.stringify(mark), { mode: 0o600 })
    renameSync(`${file}.tmp`, file)
  } catch (error) {
    log.debug({ err: error }, 'the count of commits could not be noted in the data folder')
  }
}
