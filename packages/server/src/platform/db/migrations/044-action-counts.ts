import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the column with the counts of an action that is over, which the sweeper fills, also for actions of earlier
 * versions. A trigger empties it at a late answer (D3): nodes of the previous version take such answers, too, and
 * reports without one pay nothing.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable('action').addColumn('counts', 'text').execute()
  await sql`create index action_uncounted on action (id) where counts is null`.execute(db)
  const empty = `update action set counts = null
    where counts is not null and id in (select action_id from action_agent where command_id = new.id)`
  const late = `after update of state on command for each row when (old.state = 'failed' and new.state <> 'failed')`
  if (engine === 'sqlite') {
    await sql.raw(`create trigger action_answered_late ${late} begin ${empty}; end`).execute(db)
    return
  }
  await sql
    .raw(
      `create function action_answered_late() returns trigger language plpgsql as $$ begin ${empty}; return null; end $$`,
    )
    .execute(db)
  await sql.raw(`create trigger action_answered_late ${late} execute function action_answered_late()`).execute(db)
}
