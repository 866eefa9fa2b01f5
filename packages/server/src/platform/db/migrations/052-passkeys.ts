import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds passkeys, and the challenges that were used up. A node of the previous version would take a password as the
 * proof of somebody who has a passkey, so each node notes that it knows them, and one can be added only when all do.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('passkey')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('credential', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', time, (c) => c.notNull())
    .addColumn('created_at', time, (c) => c.notNull())
    .addColumn('used_at', time)
    .execute()
  await db.schema.createIndex('passkey_of_person').on('passkey').columns(['person_id']).execute()
  await db.schema
    .createTable('passkey_challenge')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', time, (c) => c.notNull())
    .execute()
  await db.schema.alterTable('factor_node').addColumn('passkeys', 'integer').execute()
}
