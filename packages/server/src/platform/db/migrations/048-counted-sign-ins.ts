import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the number of sign-ins that a row counts, and the time of the first of them, which is null for one that is not
 * counted in another. A node of the previous version adds a row for each sign-in.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint')
  await db.schema
    .alterTable('sign_in')
    .addColumn('times', whole, (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('sign_in').addColumn('first_at', whole).execute()
}
