import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the table of wrong codes by person and by who gave them, a browser or a session. Nodes of the previous version
 * count in `wrong_code`, by person alone.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('code_try')
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('party', 'text', (c) => c.notNull())
    .addColumn('count', time, (c) => c.notNull())
    .addColumn('at', time, (c) => c.notNull())
    .addPrimaryKeyConstraint('code_try_key', ['person_id', 'party'])
    .execute()
}
