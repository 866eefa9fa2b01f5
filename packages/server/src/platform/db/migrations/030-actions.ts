import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds actions, each of which sends one command to many agents, and the outcome for each of their agents. The rows of
 * an action keep the names of agents that were deleted, so they do not refer to the table of agents.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('action')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('filter', 'text')
    .addColumn('retry_of', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', whole, (c) => c.notNull())
    .addColumn('created_by', 'text')
    .addColumn('created_by_name', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('action_listed').on('action').columns(['workspace_id', 'id']).execute()
  await db.schema.createIndex('action_made').on('action').column('created_at').execute()
  await sql`create index action_queuing on action (id) where state = 'queuing'`.execute(db)
  await db.schema
    .createTable('action_agent')
    .addColumn('action_id', 'text', (c) => c.notNull().references('action.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('command_id', 'text')
    .addColumn('outcome', 'text')
    .addColumn('message', 'text')
    .addColumn('shared', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('action_agent_key', ['action_id', 'agent_id'])
    .execute()
  await sql`create index action_of_command on action_agent (command_id) where command_id is not null`.execute(db)
}
