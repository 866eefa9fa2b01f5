import type { Kysely } from 'kysely'

/**
 * Adds a column for the name of the agent's machine, so that filters need not read the body of the report, and the
 * table of the agents' tags. The column is null until the next report, so this migration fills no row, and a node of
 * the previous version may run beside a new one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('agent_report').addColumn('host', 'text').execute()
  await db.schema
    .createTable('agent_tag')
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('tag', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_tag_key', ['agent_id', 'tag'])
    .execute()
}
