import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

const rollingMs = 3_600_000

/**
 * Adds the health item to alerts and mutes, so that an agent may have an alert for each bad item. A node of the
 * previous version may run beside a new one: its alerts get the item '', and the new index lets it have what the old
 * one did.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .alterTable('alert')
    .addColumn('item', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('alert_mute').addColumn('item', 'text').execute()
  await db.schema.dropIndex('alert_current').execute()
  await sql`create unique index alert_current on alert (scope, rule, subject_kind, subject_id, item)
    where ended_at is null`.execute(db)
  // A node of the previous version cannot word an alert of the rule `item`, so none opens within an hour after the
  // service was last seen (see alerts/evaluation/evaluate.ts). An embedded database has only one node.
  if (engine === 'postgres')
    await sql`insert into agreed (name, value)
      select 'alerts from item', cast(at + ${sql.lit(rollingMs)} as text) from service_beat where id = 1`.execute(db)
}
