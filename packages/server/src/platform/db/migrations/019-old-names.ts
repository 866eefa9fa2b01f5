import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/** Adds the table of the names that agents had before, so that links with such a name lead to the agent. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('agent_old_name')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('renamed_at', engine === 'sqlite' ? 'integer' : 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_old_name_key', ['workspace_id', 'name'])
    .execute()
  await db.schema.createIndex('agent_old_name_of_agent').on('agent_old_name').columns(['agent_id']).execute()
  await db.schema.createIndex('agent_old_name_at').on('agent_old_name').columns(['renamed_at']).execute()
}
