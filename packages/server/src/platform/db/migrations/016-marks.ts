import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the table in which each node counts its own commits, and the table of the times at which a node noticed that the
 * database went back. A node of the previous version knows neither and is not affected.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('node_mark')
    .ifNotExists()
    .addColumn('node', 'text', (c) => c.primaryKey())
    .addColumn('count', whole, (c) => c.notNull())
    .addColumn('at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('service_back')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('noticed_at', whole, (c) => c.notNull())
    .addColumn('lost_from', whole)
    .addColumn('lost_until', whole, (c) => c.notNull())
    .execute()
}
