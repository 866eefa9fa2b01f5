import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

const rollingMs = 3_600_000

/**
 * Adds the daily sums of deleted agents (fleet/reports/usage-deleted.ts), so that the costs of a workspace stay. A
 * node of the previous version cannot word an alert of the rule `runaway`, so no such alert opens until an hour after
 * the last heartbeat that was stored before this migration (see alerts/evaluation/evaluate.ts). An embedded database
 * has only one node.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint')
  await db.schema
    .createTable('usage_deleted')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('day', whole, (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('runs', whole, (c) => c.notNull())
    .addColumn('cost_micro', whole, (c) => c.notNull())
    .addColumn('output_tokens', whole, (c) => c.notNull())
    .addColumn('began', whole, (c) => c.notNull())
    .addColumn('ended', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_deleted_of_day', ['workspace_id', 'day', 'model'])
    .execute()
  if (engine === 'postgres')
    await sql`insert into agreed (name, value)
      select 'alerts from runaway', cast(at + ${sql.lit(rollingMs)} as text) from service_beat where id = 1`.execute(db)
}
