/**
 * Erases rows of objects that have ended, except the newest rows of each kind. So the number of rows is limited even if
 * people make and end objects again and again. The people who made the rows share the limit: the newest row of each
 * person is kept before the second newest row of any person, so nobody can make the rows of others disappear.
 */

import { type RawBuilder, sql } from 'kysely'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { piecesOf } from '../../platform/lists.ts'

/** The number of newest rows that are always kept, and the condition under which other rows are erased. */
export interface Surplus {
  /** The column with the id of the group in which rows are counted, such as a workspace. */
  of: string
  /** The SQL expression for the person who made a row, or for the kind of the row if no person made it. */
  by: string
  max: number
  isOver: (now: number) => RawBuilder<unknown>
  /** The table of the parts of a row, and its column with the id of the row. */
  parts?: readonly [table: keyof Tables, of: string]
}

/** The rule for each table whose surplus rows are erased. */
export const surplus = {
  action: {
    of: 'workspace_id',
    by: 'created_by',
    max: 1000,
    isOver: () => sql`open_agents = 0`,
    parts: ['action_agent', 'action_id'],
  },
  alert_delivery: { of: 'channel_id', by: 'kind', max: 1000, isOver: () => sql`state <> 'waiting'` },
  alert_mute: { of: 'scope', by: 'created_by', max: 1000, isOver: () => sql`ended_at is not null` },
  install_code: {
    of: 'workspace_id',
    by: 'issued_by',
    max: 1000,
    isOver: (now) => sql`(redeemed_at is not null or revoked_at is not null or expires_at <= ${now})`,
  },
  log: {
    of: 'agent_id',
    by: '(select created_by from command where command.id = log.command_id)',
    max: 1000,
    isOver: () => sql`true`,
  },
  rollout: {
    of: 'workspace_id',
    by: 'created_by',
    max: 1000,
    isOver: () => sql`state in ('done', 'cancelled')`,
    parts: ['rollout_agent', 'rollout_id'],
  },
} as const satisfies Partial<Record<keyof Tables, Surplus>>

const rowsAtOnce = 250
/** The maximum number of rows of a group that one round erases. */
export const erasedAtOnce = 10_000
/** A limit above the number of rows of any group. SQLite has no offset without a limit. */
const maxGroup = 1_000_000_000

/**
 * Erases the surplus rows of all tables, a few in each statement. Returns true if rows may be left for the next round.
 */
export async function eraseSurplus(db: Db, now: number, attempt: Attempt = attemptOrThrow): Promise<boolean> {
  let isLeft = false
  for (const [table, kind] of Object.entries(surplus))
    await attempt(table, async () => {
      for (const id of await fullGroups(db, table, kind))
        await attempt(`${table} ${id}`, async () => {
          if (await eraseSurplusOfGroup(db, { table, kind, id }, now)) isLeft = true
        })
    })
  return isLeft
}

/** The ids of the groups of a table that have more rows than are always kept. */
async function fullGroups(db: Db, table: string, { of, max }: Surplus): Promise<string[]> {
  const group = sql.ref(of)
  const full = await sql<{
    id: string
  }>`select ${group} as id from ${sql.table(table)} group by ${group} having count(*) > ${max}`.execute(db)
  return full.rows.map(({ id }) => id)
}

/** The ids of the surplus rows of a group. The people who made the rows share the number of rows that are kept. */
export function surplusIdsOf(
  table: string,
  { of, by, max }: Pick<Surplus, 'of' | 'by' | 'max'>,
  id: string,
): RawBuilder<string> {
  const inTurn = sql`select id, row_number() over (partition by ${sql.raw(by)} order by id desc) as turn
    from ${sql.table(table)} where ${sql.ref(of)} = ${id}`
  return sql`select id from (${inTurn}) as shared order by turn, id desc limit ${maxGroup} offset ${max}`
}

async function eraseSurplusOfGroup(
  db: Db,
  { table, kind, id }: { table: string; kind: Surplus; id: string },
  now: number,
): Promise<boolean> {
  const { isOver, parts } = kind
  const from = sql.table(table)
  const over = await sql<{ id: string }>`
    select id from ${from} where id in (${surplusIdsOf(table, kind, id)}) and ${isOver(now)} limit ${erasedAtOnce}`.execute(
    db,
  )
  for (const old of piecesOf(over.rows, rowsAtOnce)) {
    if (parts) for (const row of old) await eraseChildRows(db, parts, row)
    await sql`delete from ${from} where id in (${sql.join(old.map((row) => row.id))})`.execute(db)
  }
  return over.rows.length === erasedAtOnce
}

/** Erases the parts of a row, some in each statement. Each part has an `agent_id`, by which it is found. */
export async function eraseChildRows(
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
