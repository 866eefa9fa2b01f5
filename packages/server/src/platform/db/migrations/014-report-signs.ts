import { type Kysely, sql } from 'kysely'

/**
 * Adds a column to `agent_report` for the facts about the report that alerts need, which replaces the column `signs` of
 * `agent`: a report writes its row of `agent_report` anyway, so facts that change cost nothing more there. The old
 * column is emptied and not removed, so that a node of an earlier build beside a new one reads the facts from the
 * bodies.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('agent_report').addColumn('signs', 'text').execute()
  await sql`update agent set signs = null where signs is not null`.execute(db)
}
