import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Keeps reports of up to 8 KB in their rows as they are. Without this PostgreSQL compresses what makes a row larger
 * than 2 KB, which costs more than writing it. The row of an agent changes with its next report.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  await sql`alter table agent_report set (toast_tuple_target = 8160)`.execute(db)
}
