/**
 * Corrects stored times that are impossible after a clock was set back. Most statements change only times that are
 * still wrong, so they may run twice or on several nodes. Only one node shortens permits, such as install codes.
 */

import { isTooFarAhead } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'
import { replanPersonal } from '../../alerts/changes/personal.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type Wishes, wishesIn } from '../../updates/wishes/kept.ts'
import { lockRow, storeWishes } from '../../updates/wishes/row.ts'
import { mendedTime, storedTimes, type TimeRule } from './stored-times.ts'

/**
 * Corrects all stored times that are impossible, and returns the number of changes. `back` is the number of
 * milliseconds by which the clock was set back, and permits end earlier by it, so that they do not last longer. It is 0
 * if only the clock of another node differs, and when this is called again.
 */
export async function mendTimes(
  store: Store,
  now: number,
  back: number,
  attempt: Attempt = attemptOrThrow,
): Promise<number> {
  let count = 0
  for (const [table, columns] of Object.entries(storedTimes)) {
    // `service_beat` is corrected last, because the service notices by its time that the clock was set back.
    if (table === 'service_beat' && back > 0) await shortenOnce(store, now, back)
    if (table === 'agent') count += await mendWishes(store.db, now, attempt)
    for (const [column, rule] of Object.entries(columns)) count += await mendColumn(store, { table, column, rule }, now)
  }
  await replanPersonal(store.db, now)
  return count
}

async function mendColumn(
  { db, engine }: Store,
  { table, column, rule }: { table: string; column: string; rule: TimeRule },
  now: number,
): Promise<number> {
  const change = mendedTime(rule, now)
  if (!change) return 0
  const isOfLibrary = column.endsWith('At')
  const stored = (at: number) => (isOfLibrary ? dateIn(engine, at) : at)
  const { latest } = change
  const where = 'where' in rule && rule.where ? sql` and ${rule.where}` : sql``
  const wrong = sql`${sql.ref(column)} > ${typeof latest === 'number' ? stored(latest) : latest}${where}`
  const value = change.value === null ? sql`null` : sql`${stored(change.value)}`
  const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}
    where ${engine === 'postgres' ? unlocked(table, wrong) : wrong}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/**
 * The condition for rows that no transaction has locked. A report that is being stored locks several rows, so waiting
 * for them could deadlock. The report also writes the right time.
 */
const unlocked = (table: string, wrong: RawBuilder<unknown>) =>
  sql`ctid in (select ctid from ${sql.table(table)} where ${wrong} for update skip locked)`

/** A time as the accounts library stores it: on SQLite as ISO text. */
const dateIn = (engine: Store['engine'], at: number): Date | string =>
  engine === 'sqlite' ? new Date(at).toISOString() : new Date(at)

/**
 * Ends all permits earlier by `back` milliseconds. After a step back, the time in `service_beat` is in the future. One
 * node corrects it in the same transaction, so that no other node shortens the permits again.
 */
async function shortenOnce({ db, engine }: Store, now: number, back: number): Promise<void> {
  await transaction(db, async (trx) => {
    // A service renewed this time a few seconds before the step, so the time is ahead by nearly `back`, which is at
    // least a minute. If it is ahead by less than half of that, another node has already corrected it.
    const { numUpdatedRows } = await trx
      .updateTable('service_beat')
      .set((eb) => ({ at: eb('at', '-', back) }))
      .where('at', '>', now + Math.floor(back / 2))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    for (const [table, columns] of Object.entries(storedTimes))
      for (const [column, rule] of Object.entries(columns))
        if (rule.is === 'permit') await shorten(trx, engine, { table, column, now, back })
  })
}

async function shorten(
  db: Db,
  engine: Store['engine'],
  { table, column, now, back }: { table: string; column: string; now: number; back: number },
): Promise<void> {
  const [at, isOfLibrary] = [sql.ref(column), column.endsWith('At')]
  const earlier = !isOfLibrary
    ? sql`${at} - ${back}`
    : engine === 'sqlite'
      ? sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, ${`-${back / 1000} seconds`})`
      : sql`${at} - make_interval(secs => ${back / 1000})`
  const valid = sql`${at} > ${isOfLibrary ? dateIn(engine, now) : now}`
  await sql`update ${sql.table(table)} set ${at} = ${earlier} where ${valid}`.execute(db)
}

/** Corrects the wishes of all agents, each agent in its own transaction, and returns the number of changed agents. */
async function mendWishes(db: Db, now: number, attempt: Attempt): Promise<number> {
  const rows = await db.selectFrom('agent').select(['id', 'wishes']).where('wishes', 'is not', null).execute()
  let count = 0
  for (const { id, wishes } of rows)
    await attempt(`wishes ${id}`, async () => {
      if (onThisClock(wishesIn(wishes), now) === undefined) return
      await transaction(db, (trx) => mendWishesInTransaction(trx, id, now))
      count++
    })
  return count
}

async function mendWishesInTransaction(trx: Db, id: string, now: number): Promise<void> {
  const agent = await lockRow(trx, { id })
  const wishes = agent && onThisClock(wishesIn(agent.wishes), now)
  if (agent && wishes) await storeWishes(trx, agent, wishes)
}

/**
 * The wishes with each time that is too far ahead set to now; undefined if none is. Each number in a wish or hold is a
 * time, except a serial.
 */
function onThisClock(wishes: Wishes, now: number): Wishes | undefined {
  let isChanged = false
  const parts = Object.entries(wishes).map(([name, part]) => {
    const fields = Object.entries(part ?? {}).map(([field, value]) => {
      const isWrong = field !== 'serial' && typeof value === 'number' && isTooFarAhead(value, now)
      isChanged ||= isWrong
      return [field, isWrong ? now : value]
    })
    return [name, part && Object.fromEntries(fields)]
  })
  return isChanged ? (Object.fromEntries(parts) as Wishes) : undefined
}
