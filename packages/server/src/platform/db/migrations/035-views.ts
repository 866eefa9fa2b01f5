import { type Kysely, sql } from 'kysely'

/**
 * Adds views, which are named filters of the list of agents. A view without a member belongs to the workspace. A view
 * of a member refers to the membership, so that it goes when the person leaves, also through a node of the previous
 * version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saved_view')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('member_id', 'text', (c) => c.references('member.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('q', 'text', (c) => c.notNull())
    .addColumn('sort', 'text')
    .addColumn('columns', 'text')
    .execute()
  await sql`create unique index view_of_workspace on saved_view (workspace_id, name) where member_id is null`.execute(
    db,
  )
  await sql`create unique index view_of_member on saved_view (member_id, name) where member_id is not null`.execute(db)
}
