import type { Kysely } from 'kysely'

/** Finds what a person did of one kind without reading all that they did: it is asked before each proof. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('audit_of_kind').on('audit').columns(['actor_id', 'action', 'at']).execute()
}
