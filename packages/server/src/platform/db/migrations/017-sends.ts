import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/** Adds the table that counts what people had the service send to others, so that their number can be limited. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('counted_send')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('at', whole, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('counted_send_of_key').on('counted_send').columns(['kind', 'key', 'at']).execute()
  await db.schema.createIndex('counted_send_at').on('counted_send').columns(['at']).execute()
}
