/** What the sweeper does in a round; a few rows at a time, so that reports never wait long for it. */
import { sql } from 'kysely'
import type { MonotonicAge } from '../commands/deliveries.ts'
import { timeOut } from '../commands/settle.ts'
import { isPostgres } from '../db/engine.ts'
import type { Db, Store } from '../db/open.ts'
import { transaction } from '../db/transaction.ts'
import { dayMs } from '../limits/days.ts'

const commandsAtOnce = 500
const logsAtOnce = 20
const levelsAtOnce = 1000
const rolloutAgentsAtOnce = 250
/** Changes of level are kept for so long. */
const levelDays = 400
/** Rollouts after their end. */
const rolloutDays = 400

/** D2: queued commands expire, delivered ones fail. Gives the agents of which something changed. */
export async function timeOutCommands(
  { db }: Store,
  now: number,
  age: MonotonicAge,
): Promise<{ id: string; workspaceId: string }[]> {
  const agents = new Map<string, string>()
  for (let more = true; more; ) {
    more = await transaction(db, async (trx) => {
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
        const after = timeOut(command, now, age)
        if (!after) continue
        const { state, failed_at, due_at } = after
        await trx.updateTable('command').set({ state, failed_at, due_at }).where('id', '=', command.id).execute()
        if (state !== command.state) agents.set(command.agent_id, command.workspace_id)
      }
      return due.length === commandsAtOnce
    })
  }
  return [...agents].map(([id, workspaceId]) => ({ id, workspaceId }))
}

/**
 * D56: logs are unreadable from their expiry on (their readers ask for it) and erased here. On SQLite freed pages are
 * overwritten, and the write-ahead log that may still hold them is emptied.
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

/** The oldest changes of level stand first in their table. */
export async function eraseOldLevels(db: Db, now: number): Promise<void> {
  const oldest = db.selectFrom('level_change').select('seq').orderBy('seq').limit(levelsAtOnce)
  await db
    .deleteFrom('level_change')
    .where('seq', 'in', oldest)
    .where('at', '<=', now - levelDays * dayMs)
    .execute()
}

/** One that ended long ago, its agents a piece at a time; the next one with the next round. */
export async function eraseOldRollout(db: Db, now: number): Promise<void> {
  const old = await db
    .selectFrom('rollout')
    .select('id')
    .where(sql<boolean>`state in ('done', 'cancelled')`) // as the index says it, word for word
    .where('changed_at', '<=', now - rolloutDays * dayMs)
    .orderBy('changed_at')
    .limit(1)
    .executeTakeFirst()
  if (!old) return
  const agents = db.selectFrom('rollout_agent').select('agent_id').where('rollout_id', '=', old.id)
  for (let more = true; more; ) {
    const erased = await db
      .deleteFrom('rollout_agent')
      .where('rollout_id', '=', old.id)
      .where('agent_id', 'in', agents.limit(rolloutAgentsAtOnce))
      .executeTakeFirst()
    more = erased.numDeletedRows > 0n
  }
  await db.deleteFrom('rollout').where('id', '=', old.id).execute()
}

/** What of people's accounts is over: sessions, the library's one-time values, and links a day after their end. */
export async function eraseEndedAccess({ db, engine }: Store, now: number): Promise<void> {
  const ended = engine === 'sqlite' ? new Date(now).toISOString() : new Date(now)
  for (const table of ['session', 'verification']) {
    await sql`delete from ${sql.table(table)} where ${sql.ref('expiresAt')} <= ${ended}`.execute(db)
  }
  await db
    .deleteFrom('link')
    .where((eb) => eb.or([eb('expires_at', '<=', now - dayMs), eb('used_at', '<=', now - dayMs)]))
    .execute()
}
