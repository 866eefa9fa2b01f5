import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { type Migrations, rollingMs, wholeNumber } from './migration.ts'

/** First steps, operators, deletion, and second factors of people; old names and health items of agents. */
export const people: Migrations = {
  '019-old-names': addOldNames,
  '020-onboarding': addOnboarding,
  '022-items': addItems,
  '023-accounts': addOperators,
  '024-deleted-workspaces': addDeletedWorkspaces,
  '025-factors': addSecondFactors,
}

/** Adds the table of the names that agents had before, so that links with such a name lead to the agent. */
async function addOldNames(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('agent_old_name')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('renamed_at', wholeNumber(engine), (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_old_name_key', ['workspace_id', 'name'])
    .execute()
  await db.schema.createIndex('agent_old_name_of_agent').on('agent_old_name').columns(['agent_id']).execute()
  await db.schema.createIndex('agent_old_name_at').on('agent_old_name').columns(['renamed_at']).execute()
}

/** Adds the table that says whether a person wants to see the first steps of a workspace. */
async function addOnboarding(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await db.schema
    .createTable('onboarding')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('wanted', whole, (c) => c.notNull())
    .addColumn('at', whole, (c) => c.notNull())
    .execute()
}

/**
 * Adds the health item to alerts and mutes, so that an agent may have an alert for each bad item. The alerts of a node
 * of the previous version get the item '', and the new index allows as many of them as the old index did.
 */
async function addItems(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .alterTable('alert')
    .addColumn('item', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('alert_mute').addColumn('item', 'text').execute()
  await db.schema.dropIndex('alert_current').execute()
  await sql`create unique index alert_current on alert (scope, rule, subject_kind, subject_id, item)
    where ended_at is null`.execute(db)
  // A node of the previous version cannot show an alert of the rule `item`, so no such alert opens within an hour after
  // the service was last seen (alerts/evaluation/evaluate.ts). An embedded database has only one node.
  if (engine === 'postgres')
    await sql`insert into agreed (name, value)
      select 'alerts from item', cast(at + ${sql.lit(rollingMs)} as text) from service_beat where id = 1`.execute(db)
}

/**
 * Adds the tables of disabled people, of operators, and of invitations that the operator made. A node of the previous
 * version lets disabled people sign in, but nodes of this version reject their sessions.
 */
async function addOperators(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await db.schema
    .createTable('person_disabled')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('disabled_at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('person_operator')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('made_at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('operator_invitation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('expires_at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('operator_invitation_of_workspace')
    .on('operator_invitation')
    .columns(['workspace_id'])
    .execute()
}

/** Adds the table of deleted workspaces whose data is not erased yet. */
async function addDeletedWorkspaces(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('workspace_deleted')
    .addColumn('workspace_id', 'text', (c) => c.primaryKey().references('workspace.id').onDelete('cascade'))
    .addColumn('deleted_at', wholeNumber(engine), (c) => c.notNull())
    .execute()
}

/**
 * Adds the tables of second factors: authenticator apps, recovery codes, wrong codes, the times at which a session
 * showed a factor or a proof, sign-ins that wait for a factor, the workspaces that require a factor, and the nodes that
 * know factors.
 */
async function addSecondFactors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = wholeNumber(engine)
  await db.schema
    .createTable('totp')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('created_at', time, (c) => c.notNull())
    .addColumn('confirmed_at', time)
    .addColumn('last_step', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('recovery_code')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('created_at', time, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('recovery_code_of_person').on('recovery_code').columns(['person_id']).execute()
  await db.schema
    .createTable('wrong_code')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('count', time, (c) => c.notNull())
    .addColumn('at', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('session_proof')
    .addColumn('session_id', 'text', (c) => c.primaryKey().references('session.id').onDelete('cascade'))
    .addColumn('factor_at', time)
    .addColumn('proof_at', time)
    .execute()
  await db.schema
    .createTable('first_half')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('expires_at', time, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('first_half_of_person').on('first_half').columns(['person_id']).execute()
  await db.schema
    .createTable('factor_requirement')
    .addColumn('workspace_id', 'text', (c) => c.primaryKey().references('workspace.id').onDelete('cascade'))
    .addColumn('from_at', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('factor_node')
    .addColumn('node', 'text', (c) => c.primaryKey())
    .addColumn('at', time, (c) => c.notNull())
    .execute()
}
