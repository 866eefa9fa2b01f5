import type { Kysely } from 'kysely'

/**
 * Adds the column with the tags that an install code gives to its agent. It is null for codes of the previous version,
 * and a node of that version, which redeems a code of a new one, ignores it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('install_code').addColumn('tags', 'text').execute()
}
