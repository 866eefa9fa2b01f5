import type { Kysely } from 'kysely'

/** The table for values on which all nodes of one database must agree. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('agreed')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()
}
