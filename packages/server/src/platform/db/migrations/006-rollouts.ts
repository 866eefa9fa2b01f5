import { type Kysely, sql } from 'kysely'

/**
 * Adds columns for the person who resumed a rollout and is now responsible for it. Also adds indexes for the list of
 * rollouts, for ended rollouts, and for the agents in a rollout whose update has no outcome yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['continued_by', 'continued_by_name'])
    await db.schema.alterTable('rollout').addColumn(column, 'text').execute()
  await db.schema.createIndex('rollout_listed').on('rollout').columns(['workspace_id', 'id']).execute()
  await db.schema.dropIndex('rollout_of_workspace').execute()
  await sql`create index rollout_ended on rollout (changed_at) where state in ('done', 'cancelled')`.execute(db)
  await sql`create index rollout_agent_open on rollout_agent (rollout_id) where state = 'wished'`.execute(db)
}
