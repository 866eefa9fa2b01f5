/** Work of the sweeper's jobs. Each function handles a few rows at a time, so that reports never wait long for it. */
import { type RawBuilder, sql } from 'kysely'
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import { afterTimeout } from '../../fleet/commands/settle.ts'
import { usageDays } from '../../fleet/reports/usage-names.ts'
import { keptVersionDays } from '../../fleet/versions/days.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { eraseChildRows } from './surplus.ts'

const commandsAtOnce = 500
const logsAtOnce = 20
/** The number of old rollouts or actions that a round tries to erase if their erasure fails. */
const triesAtOnce = 20
/** The days for which an action is kept. */
const actionDays = 30
/** The days for which a rollout is kept after its end. */
const rolloutDays = 400

/**
 * Ends commands whose time is over: queued ones expire, and delivered ones fail (D2). Returns the agents whose commands
 * changed.
 */
export async function timeOutCommands(
  { db }: Store,
  now: number,
  age: MonotonicAge,
  attempt: Attempt = attemptOrThrow,
): Promise<{ id: string; workspaceId: string }[]> {
  const agents = new Map<string, string>()
  const timeOutSome = () =>
    transaction(db, async (trx) => {
      const due = await trx
        .selectFrom('command')
        .innerJoin('agent', 'agent.id', 'command.agent_id')
        .selectAll('command')
        .select('agent.workspace_id')
        .where('command.due_at', '<=', now)
        .orderBy('command.due_at')
        .limit(commandsAtOnce)
        .$if(isPostgres(trx), (query) => query.forUpdate('command').skipLocked())
        .execute()
      for (const command of due) {
        const after = afterTimeout(command, now, age)
        if (!after) continue
        const { state, failed_at, due_at } = after
        await trx.updateTable('command').set({ state, failed_at, due_at }).where('id', '=', command.id).execute()
        if (state !== command.state) agents.set(command.agent_id, command.workspace_id)
      }
      return due.length === commandsAtOnce
    })
  // The pages must learn of the agents so far even if a later transaction fails.
  for (let more = true; more; ) {
    more = false
    await attempt('commands', async () => {
      more = await timeOutSome()
    })
  }
  return [...agents].map(([id, workspaceId]) => ({ id, workspaceId }))
}

/**
 * Erases expired logs; no route returns a log after its expiry (D56). On SQLite freed pages are overwritten, and the
 * write-ahead log is emptied, since it may still contain erased logs.
 */
export async function eraseLogs(store: Store, now: number): Promise<void> {
  let erased = 0
  for (let more = true; more; ) {
    const due = await store.db.selectFrom('log').select('id').where('expires_at', '<=', now).limit(logsAtOnce).execute()
    if (due.length > 0) {
      const ids = due.map(({ id }) => id)
      await store.db.deleteFrom('log').where('id', 'in', ids).execute()
    }
    erased += due.length
    more = due.length === logsAtOnce
  }
  if (erased === 0 || store.engine !== 'sqlite') return
  const { sqlite } = store
  await store.db.connection().execute(async () => sqlite.exec('pragma wal_checkpoint(truncate)'))
}

/** Erases one rollout that ended long ago, with its rows of agents. Each round erases only one. */
export async function eraseOldRollout(db: Db, now: number, attempt: Attempt = attemptOrThrow): Promise<void> {
  const old = await db
    .selectFrom('rollout')
    .select('id')
    // The condition is written exactly as in the partial index on ended rollouts; otherwise the database would not use
    // that index.
    .where(sql<boolean>`state in ('done', 'cancelled')`)
    .where('changed_at', '<=', now - rolloutDays * dayMs)
    .orderBy('changed_at')
    .limit(triesAtOnce)
    .execute()
  for (const { id } of old) if (await attempt(id, () => erase(id))) return

  async function erase(id: string): Promise<void> {
    await eraseChildRows(db, ['rollout_agent', 'rollout_id'], { id })
    await db.deleteFrom('rollout').where('id', '=', id).execute()
  }
}

/** Erases one action that is too old, with its rows of agents. Each round erases only one. */
export async function eraseOldAction(db: Db, now: number, attempt: Attempt = attemptOrThrow): Promise<void> {
  const old = await db
    .selectFrom('action')
    .select('id')
    .where('created_at', '<=', now - actionDays * dayMs)
    .orderBy('created_at')
    .limit(triesAtOnce)
    .execute()
  for (const { id } of old) if (await attempt(id, () => erase(id))) return

  async function erase(id: string): Promise<void> {
    await eraseChildRows(db, ['action_agent', 'action_id'], { id })
    await db.deleteFrom('action').where('id', '=', id).execute()
  }
}

/**
 * Erases expired sessions and one-time values of the accounts library. Links, counts of wrong codes, callbacks of
 * sign-in providers and challenges of passkeys are erased a day after they were used or expired.
 */
export async function eraseEndedAccess(
  { db, engine }: Store,
  now: number,
  attempt: Attempt = attemptOrThrow,
): Promise<void> {
  const ended = engine === 'sqlite' ? new Date(now).toISOString() : new Date(now)
  const before = now - dayMs
  const hasExpired = sql`expires_at <= ${before}`
  const all: ErasedRows[] = [
    { table: 'session', key: ['id'], where: sql`${sql.ref('expiresAt')} <= ${ended}` },
    { table: 'verification', key: ['id'], where: sql`${sql.ref('expiresAt')} <= ${ended}` },
    { table: 'link', key: ['hash'], where: sql`expires_at <= ${before} or used_at <= ${before}` },
    { table: 'code_try', key: ['person_id'], where: sql`at <= ${before}` },
    { table: 'oidc_callback', key: ['hash'], where: hasExpired },
    { table: 'passkey_challenge', key: ['hash'], where: hasExpired },
  ]
  for (const rows of all) await attempt(rows.table, () => erasePieces(db, rows))
}

/** Erases the daily sums of deleted agents for days that are no longer shown. */
export const eraseOldSums = (db: Db, now: number): Promise<void> =>
  erasePieces(db, {
    table: 'usage_deleted',
    key: ['workspace_id', 'day', 'model'],
    where: sql`day < ${dayNumber(now) - usageDays}`,
  })

/** Erases the daily counts of agents by version for days that are no longer shown. */
export const eraseOldVersions = (db: Db, now: number): Promise<void> =>
  erasePieces(db, {
    table: 'version_day',
    key: ['workspace_id', 'day', 'blueprint', 'version'],
    where: sql`day < ${dayNumber(now) - keptVersionDays}`,
  })

interface ErasedRows {
  table: string
  /** The columns by which rows are found. Rows with equal values are erased together. */
  key: readonly string[]
  where: RawBuilder<unknown>
}
const rowsAtOnce = 500

/** Erases rows, some in each statement. */
async function erasePieces(db: Db, { table, key, where }: ErasedRows): Promise<void> {
  const [from, by] = [sql.table(table), sql.join(key.map((column) => sql.ref(column)))]
  for (let more = true; more; ) {
    const some = sql`select ${by} from ${from} where ${where} limit ${rowsAtOnce}`
    const { numAffectedRows } = await sql`delete from ${from} where (${by}) in (${some}) and (${where})`.execute(db)
    more = Number(numAffectedRows ?? 0) >= rowsAtOnce
  }
}
