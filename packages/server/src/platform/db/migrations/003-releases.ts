import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/** Adds the table of the builds of the runtime that were served; the newest one is served (D37). */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea')
  const integer = engine === 'sqlite' ? 'integer' : 'bigint'
  // The file is the last column, so that reading the other columns does not read through the file.
  await db.schema
    .createTable('release')
    .addColumn('serial', 'integer', (c) => c.primaryKey())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('size', integer, (c) => c.notNull())
    .addColumn('added_at', integer, (c) => c.notNull())
    .addColumn('added_by', 'text')
    .addColumn('added_by_name', 'text', (c) => c.notNull())
    .addColumn('signature', bytes)
    .addColumn('file', bytes)
    .execute()
}
