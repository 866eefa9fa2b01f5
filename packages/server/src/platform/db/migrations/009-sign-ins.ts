import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/** Adds the tables for the last sign-ins of people, and for the accounts whose e-mail address was confirmed. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('sign_in')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('at', time, (c) => c.notNull())
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('sign_in_of_person').on('sign_in').columns(['person_id', 'at']).execute()
  await db.schema
    .createTable('email_confirmation')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('at', time, (c) => c.notNull())
    .execute()
}
