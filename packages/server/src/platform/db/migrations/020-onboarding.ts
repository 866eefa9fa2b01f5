import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/** Adds the table of the people who were shown the first steps of a workspace, or dismissed them. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('onboarding')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('wanted', whole, (c) => c.notNull())
    .addColumn('at', whole, (c) => c.notNull())
    .execute()
}
