import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * What alerts need to know of the last report, in the agent's narrow row. Null means not known yet, so no row is written here,
 * and a node of the version before may work beside a new one. Also when a backup was last made, and what messages may say.
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
