import type { Kysely } from 'kysely'

/**
 * Adds the column with the second factor of a sign-in. It is null if none was asked for, and for sign-ins that a node
 * of the previous version recorded.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sign_in').addColumn('second', 'text').execute()
}
