import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/** Adds the table of deleted workspaces whose data is not erased yet. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('workspace_deleted')
    .addColumn('workspace_id', 'text', (c) => c.primaryKey().references('workspace.id').onDelete('cascade'))
    .addColumn('deleted_at', engine === 'sqlite' ? 'integer' : 'bigint', (c) => c.notNull())
    .execute()
}
