import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds a column to `agent` for the facts about the last report that alerts need. Null means that the facts are not
 * known yet, so this migration fills no row, and a node of the previous version may run beside a new one. Also adds two
 * indexes of alerts, the table for the last backup, and the table for the setting of what messages may contain.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await sql`create index alert_open on alert (scope, id) where ended_at is null`.execute(db)
  await sql`create index alert_owed on alert (scope) where muted = 1 and ended_at is not null`.execute(db)
  await db.schema.alterTable('agent').addColumn('signs', 'text').execute()
  await db.schema
    .createTable('service_backup')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', whole, (c) => c.notNull())
    .addColumn('bytes', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('alert_setting')
    .addColumn('scope', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.references('workspace.id').onDelete('cascade'))
    .addColumn('detail', whole, (c) => c.notNull())
    .execute()
}
