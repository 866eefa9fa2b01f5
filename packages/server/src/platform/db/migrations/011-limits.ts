import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the table of a workspace's limits that the operator set, and the index for counting the activity of one person.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('workspace_limit')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('value', whole, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('workspace_limit_key', ['workspace_id', 'kind'])
    .execute()
  await db.schema.createIndex('audit_of_person').on('audit').columns(['actor_id', 'at']).execute()
}
