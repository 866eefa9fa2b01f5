import type { Kysely } from 'kysely'

/** Adds how people know the account at the sign-in provider with which they are connected. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('oidc_connection').addColumn('account', 'text').execute()
}
