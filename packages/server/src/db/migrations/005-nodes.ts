import type { Kysely } from 'kysely'

/** What all nodes on one database must agree on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('agreed')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()
}
