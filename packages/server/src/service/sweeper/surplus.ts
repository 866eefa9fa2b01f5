/**
 * Erases what is over and comes before the newest rows of its kind. So what people can make and end again and again is
 * bounded, also within the time for which it is kept.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'

/** The newest rows that are always kept, and the condition for the others. */
export interface Surplus {
  /** The column with the id of that by which rows are counted, such as a workspace. */
  of: string
  max: number
  isOver: (now: number) => RawBuilder<unknown>
  /** The table of the parts of a row, and its column with the id of the row. */
  parts?: readonly [table: keyof Tables, of: string]
}

export const surplus = {
  action: {
    of: 'workspace_id',
    max: 1000,
    isOver: () => sql`open_agents = 0`,
    parts: ['action_agent', 'action_id'],
  },
  alert_delivery: { of: 'channel_id', max: 1000, isOver: () => sql`state <> 'waiting'` },
  alert_mute: { of: 'scope', max: 1000, isOver: () => sql`ended_at is not null` },
  install_code: {
    of: 'workspace_id',
    max: 1000,
    isOver: (now) => sql`(redeemed_at is not null or revoked_at is not null or expires_at <= ${now})`,
  },
  log: { of: 'agent_id', max: 1000, isOver: () => sql`true` },
  rollout: {
    of: 'workspace_id',
    max: 1000,
    isOver: () => sql`state in ('done', 'cancelled')`,
    parts: ['rollout_agent', 'rollout_id'],
  },
} as const satisfies Partial<Record<keyof Tables, Surplus>>

const rowsAtOnce = 250

/** Erases the surplus of every kind, a few rows in each statement. */
export async function eraseSurplus(db: Db, now: number): Promise<void> {
  for (const [table, kind] of Object.entries(surplus)) await eraseOf(db, table, kind, now)
}

async function eraseOf(db: Db, table: string, { of, max, isOver, parts }: Surplus, now: number): Promise<void> {
  const [from, group] = [sql.table(table), sql.ref(of)]
  const full = await sql<{
    id: string
  }>`select ${group} as id from ${from} group by ${group} having count(*) > ${max}`.execute(db)
  for (const { id } of full.rows) {
    const ofGroup = sql`${group} = ${id} and id <= (
      select id from ${from} where ${group} = ${id} order by id desc limit 1 offset ${max})`
    for (let more = true; more; ) {
      const old = await sql<{ id: string }>`
        select id from ${from} where ${ofGroup} and ${isOver(now)} limit ${rowsAtOnce}`.execute(db)
      for (const row of parts ? old.rows : []) await eraseParts(db, parts as NonNullable<typeof parts>, row)
      const ids = old.rows.map((row) => row.id)
      if (ids.length > 0) await sql`delete from ${from} where id in (${sql.join(ids)})`.execute(db)
      more = ids.length === rowsAtOnce
    }
  }
}

/** Erases the parts of a row, by the ids of their agents. */
export async function eraseParts(
  db: Db,
  [table, of]: readonly [string, string],
  { id }: { id: string },
): Promise<void> {
  const [from, whole] = [sql.table(table), sql`${sql.ref(of)} = ${id}`]
  for (let more = true; more; ) {
    const { numAffectedRows } = await sql`delete from ${from} where ${whole} and agent_id in (
      select agent_id from ${from} where ${whole} limit ${rowsAtOnce})`.execute(db)
    more = (numAffectedRows ?? 0n) > 0n
  }
}
