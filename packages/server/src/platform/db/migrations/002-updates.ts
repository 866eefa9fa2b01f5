import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { arrivalNumber, type Migrations, wholeNumber } from './migration.ts'

/** Blueprints, releases of the runtime, and updates of agents in rollouts. */
export const updates: Migrations = {
  '002-blueprints': addBlueprints,
  '003-releases': addReleases,
  '004-wishes': addRollouts,
  '005-nodes': addAgreedValues,
  '006-rollouts': addContinuedBy,
}

/**
 * Adds the tables for blueprints, install codes and bots, and for changes that were made on an agent's machine and not
 * through the service.
 */
async function addBlueprints(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const integer = wholeNumber(engine)
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea')
  const arrival = arrivalNumber(engine)

  await db.schema
    .createTable('blueprint')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('blueprint_of_workspace', ['workspace_id', 'name'])
    .execute()

  // The bundle is the last column, so that reading the other columns does not read through the bundle.
  await db.schema
    .createTable('blueprint_version')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('blueprint_id', 'text', (c) => c.notNull().references('blueprint.id').onDelete('cascade'))
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('size', integer, (c) => c.notNull())
    .addColumn('uploaded_at', integer, (c) => c.notNull())
    .addColumn('uploaded_by', 'text')
    .addColumn('uploaded_by_name', 'text', (c) => c.notNull())
    .addColumn('manifest', 'text', (c) => c.notNull())
    .addColumn('files', 'text', (c) => c.notNull())
    .addColumn('bundle', bytes, (c) => c.notNull())
    .addUniqueConstraint('version_of_blueprint', ['blueprint_id', 'version'])
    .execute()

  await db.schema
    .createTable('install_code')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('version_id', 'text', (c) => c.references('blueprint_version.id').onDelete('set null'))
    .addColumn('blueprint', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('bindings', 'text', (c) => c.notNull())
    .addColumn('agent_name', 'text', (c) => c.notNull())
    .addColumn('issued_by', 'text')
    .addColumn('issued_by_name', 'text', (c) => c.notNull())
    .addColumn('issued_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addColumn('redeemed_at', integer)
    .addColumn('revoked_at', integer)
    .addColumn('agent_id', 'text', (c) => c.references('agent.id').onDelete('set null'))
    .execute()
  await db.schema
    .createIndex('install_code_of_workspace')
    .on('install_code')
    .columns(['workspace_id', 'issued_at'])
    .execute()
  await db.schema.createIndex('install_code_of_version').on('install_code').column('version_id').execute()
  await db.schema.createIndex('install_code_of_agent').on('install_code').column('agent_id').execute()

  await db.schema
    .createTable('bot')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('product_id', 'text', (c) => c.notNull().references('product.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addUniqueConstraint('bot_of_workspace', ['workspace_id', 'product_id', 'name'])
    .execute()
  await db.schema.createIndex('bot_of_product').on('bot').column('product_id').execute()

  await db.schema
    .createTable('bot_token')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('bot_id', 'text', (c) => c.notNull().references('bot.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('issued_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addColumn('revoked_at', integer)
    .addColumn('last_used_at', integer)
    .addUniqueConstraint('token_of_agent', ['agent_id', 'bot_id'])
    .execute()
  await db.schema.createIndex('token_of_bot').on('bot_token').column('bot_id').execute()

  for (const column of ['installed_version', 'reported_version', 'previous_version', 'facts']) {
    await db.schema.alterTable('agent').addColumn(column, 'text').execute()
  }

  await sql`create table machine_change (
    seq ${arrival},
    agent_id text not null references agent(id) on delete cascade,
    at ${sql.raw(integer)} not null,
    kind text not null,
    key text,
    before text not null,
    after text not null
  )`.execute(db)
  await db.schema.createIndex('machine_change_of_agent').on('machine_change').columns(['agent_id', 'seq']).execute()
}

/** Adds the table of the runtime's releases. The newest release is served (D37). */
async function addReleases(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea')
  const integer = wholeNumber(engine)
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

/**
 * Adds the columns and tables for wishes and holds of updates, their timeline, rollouts in waves, and the times when
 * the service was not running.
 */
async function addRollouts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const integer = wholeNumber(engine)
  const arrival = arrivalNumber(engine)

  for (const column of ['wishes', 'attempts', 'wished_version', 'runtime_wished']) {
    await db.schema.alterTable('agent').addColumn(column, 'text').execute()
  }
  await db.schema.alterTable('agent').addColumn('runtime_granted_at', integer).execute()
  await sql`create index agent_runtime_wished on agent (workspace_id, runtime_granted_at) where runtime_wished is not null`.execute(
    db,
  )

  await sql`create table update_event (
    seq ${arrival},
    agent_id text not null references agent(id) on delete cascade,
    at ${sql.raw(integer)} not null,
    subject text not null,
    kind text not null,
    version text,
    from_version text,
    message text,
    by_name text,
    rollout_id text,
    since ${sql.raw(integer)}
  )`.execute(db)
  await db.schema.createIndex('update_event_of_agent').on('update_event').columns(['agent_id', 'seq']).execute()

  await db.schema
    .createTable('rollout')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('blueprint', 'text')
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('waves', 'text', (c) => c.notNull())
    .addColumn('by_hand', 'integer', (c) => c.notNull())
    .addColumn('watch_seconds', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('why', 'text')
    .addColumn('wave', 'integer', (c) => c.notNull())
    .addColumn('wave_kept_at', integer)
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('created_by', 'text')
    .addColumn('created_by_name', 'text', (c) => c.notNull())
    .addColumn('changed_at', integer, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('rollout_of_workspace').on('rollout').columns(['workspace_id', 'created_at']).execute()
  await sql`create index rollout_running on rollout (id) where state = 'running'`.execute(db)

  await db.schema
    .createTable('rollout_agent')
    .addColumn('rollout_id', 'text', (c) => c.notNull().references('rollout.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('wave', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('level_before', 'text')
    .addColumn('wished_at', integer)
    .addColumn('worse_at', integer)
    .addColumn('forgiven', 'integer', (c) => c.notNull())
    .addColumn('at', integer)
    .addPrimaryKeyConstraint('agent_of_rollout', ['rollout_id', 'agent_id'])
    .execute()
  await db.schema.createIndex('rollout_of_agent').on('rollout_agent').column('agent_id').execute()

  await db.schema
    .createTable('service_beat')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', integer, (c) => c.notNull())
    .execute()
  await sql`create table service_away (
    seq ${arrival},
    from_at ${sql.raw(integer)} not null,
    until_at ${sql.raw(integer)} not null
  )`.execute(db)
}

/** Adds the table for values on which all nodes of one database must agree. */
async function addAgreedValues(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('agreed')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()
}

/**
 * Adds columns for the person who resumed a rollout and is now responsible for it. Also adds indexes for the list of
 * rollouts, for ended rollouts, and for the agents in a rollout whose update has no outcome yet.
 */
async function addContinuedBy(db: Kysely<unknown>): Promise<void> {
  for (const column of ['continued_by', 'continued_by_name'])
    await db.schema.alterTable('rollout').addColumn(column, 'text').execute()
  await db.schema.createIndex('rollout_listed').on('rollout').columns(['workspace_id', 'id']).execute()
  await db.schema.dropIndex('rollout_of_workspace').execute()
  await sql`create index rollout_ended on rollout (changed_at) where state in ('done', 'cancelled')`.execute(db)
  await sql`create index rollout_agent_open on rollout_agent (rollout_id) where state = 'wished'`.execute(db)
}
