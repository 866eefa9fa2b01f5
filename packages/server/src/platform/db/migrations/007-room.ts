import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Leaves room in the pages of tables that are often updated. PostgreSQL writes a changed row as a new row; if the new
 * row fits into the same page, no index has to change.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  for (const [table, percent] of [
    ['agent_report', 60],
    ['run', 80],
    ['usage_day', 80],
  ] as const)
    await sql`alter table ${sql.table(table)} set (fillfactor = ${sql.lit(percent)})`.execute(db)
}
