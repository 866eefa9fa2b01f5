import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the numbers of agents by blueprint version and day (fleet/versions/days.ts). Nodes of the previous version do
 * not write them, so days on which only such nodes ran are missing.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint')
  await db.schema
    .createTable('version_day')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('day', whole, (c) => c.notNull())
    .addColumn('blueprint', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('agents', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('version_day_of_day', ['workspace_id', 'day', 'blueprint', 'version'])
    .execute()
}
