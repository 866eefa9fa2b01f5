import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the accounts of people at the sign-in provider, and the ways back from it that were used. A node of the previous
 * version would hand an account over and leave it connected, so an account is connected only when all nodes know this.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('oidc_connection')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('connected_at', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('oidc_connection_subject')
    .unique()
    .on('oidc_connection')
    .columns(['issuer', 'subject'])
    .execute()
  await db.schema
    .createTable('oidc_callback')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', time, (c) => c.notNull())
    .execute()
  await db.schema.alterTable('factor_node').addColumn('oidc', 'integer').execute()
}
