import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { arrivalNumber, type Migrations, wholeNumber } from './migration.ts'

/** The migration of the first version. */
export const first: Migrations = {
  '001-first': createFirstTables,
}

/** Creates the tables of the first version, such as those for agents, reports, runs and commands. */
async function createFirstTables(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  const arrival = arrivalNumber(engine)

  await db.schema
    .createTable('agent')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', whole, (c) => c.notNull())
    .addColumn('created_by', 'text')
    .addColumn('blueprint', 'text')
    .addUniqueConstraint('agent_of_workspace', ['workspace_id', 'name'])
    .execute()

  await db.schema
    .createTable('agent_report')
    .addColumn('agent_id', 'text', (c) => c.primaryKey().references('agent.id').onDelete('cascade'))
    .addColumn('received_at', whole, (c) => c.notNull())
    .addColumn('level', 'text')
    .addColumn('label', 'text')
    .addColumn('detail', 'text')
    .addColumn('version', 'text')
    .addColumn('doing', 'text')
    .addColumn('controls', 'text', (c) => c.notNull())
    .addColumn('interval_s', 'integer', (c) => c.notNull())
    .addColumn('boot', 'text')
    .addColumn('seq', whole)
    .addColumn('reporters', 'text', (c) => c.notNull())
    .addColumn('runs_kept', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .execute()

  await sql`create table run (
    seq ${arrival},
    agent_id text not null references agent(id) on delete cascade,
    id text not null,
    place ${sql.raw(whole)} not null,
    first_seen ${sql.raw(whole)} not null,
    started ${sql.raw(whole)},
    ended ${sql.raw(whole)},
    status text,
    kind text,
    cost_micro ${sql.raw(whole)},
    output_tokens ${sql.raw(whole)},
    log text,
    body text not null,
    unique (agent_id, id)
  )`.execute(db)
  // An index for finding a run's neighbours in order, used by trimming and by pages. A run's `place` never changes, so
  // updating a run never writes this index.
  await sql`create index run_newest on run (agent_id, place, seq)`.execute(db)

  await db.schema
    .createTable('usage_day')
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('runs', whole, (c) => c.notNull())
    .addColumn('cost_micro', whole, (c) => c.notNull())
    .addColumn('output_tokens', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_of_day', ['agent_id', 'day', 'model'])
    .execute()

  await sql`create table level_change (
    seq ${arrival},
    agent_id text not null references agent(id) on delete cascade,
    at ${sql.raw(whole)} not null,
    level text not null,
    label text
  )`.execute(db)
  await db.schema.createIndex('level_change_of_agent').on('level_change').columns(['agent_id', 'at']).execute()

  await db.schema
    .createTable('command')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', whole, (c) => c.notNull())
    .addColumn('created_by', 'text')
    .addColumn('created_by_name', 'text', (c) => c.notNull())
    .addColumn('delivered_at', whole)
    .addColumn('failed_at', whole)
    .addColumn('answered_at', whole)
    .addColumn('message', 'text')
    .addColumn('due_at', whole)
    .execute()
  await db.schema.createIndex('command_of_agent').on('command').columns(['agent_id', 'created_at']).execute()
  await sql`create index command_open on command (agent_id) where due_at is not null`.execute(db)
  await sql`create index command_due on command (due_at) where due_at is not null`.execute(db)

  await db.schema
    .createTable('log')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('command_id', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('received_at', whole, (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('expires_at', whole, (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('log_of_agent').on('log').columns(['agent_id', 'received_at']).execute()
  await db.schema.createIndex('log_expires').on('log').column('expires_at').execute()

  await db.schema
    .createTable('product')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('secret_hash', 'text')
    .addColumn('created_at', whole, (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('workspace_product')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('activated_at', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('product_of_workspace', ['workspace_id', 'product_id'])
    .execute()

  await db.schema
    .createTable('audit')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text')
    .addColumn('at', whole, (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('audit_of_workspace').on('audit').columns(['workspace_id', 'at']).execute()

  await db.schema
    .createTable('link')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('person_id', 'text')
    .addColumn('created_at', whole, (c) => c.notNull())
    .addColumn('expires_at', whole, (c) => c.notNull())
    .addColumn('used_at', whole)
    .execute()
}
