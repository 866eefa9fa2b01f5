import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { arrivalNumber, type Migrations, rollingMs, wholeNumber } from './migration.ts'

/** Costs, states and versions over time, and further ways to sign in. */
export const history: Migrations = {
  '047-cost': addUsageOfDeleted,
  '048-counted-sign-ins': countSignIns,
  '049-states': keepStates,
  '050-version-days': addVersionDays,
  '051-rule-filters': addRuleFilters,
  '052-passkeys': addPasskeys,
  '053-audit-kinds': addIndexOfKinds,
  '054-oidc': addSignInProvider,
  '055-oidc-account': addProviderAccount,
  '056-ntfy-topics': hideTopics,
}

/**
 * Adds the daily sums of deleted agents (fleet/reports/usage-deleted.ts), so that the costs of a workspace stay. A node
 * of the previous version cannot show an alert of the rule `runaway`, so no such alert opens within an hour after the
 * service was last seen (alerts/evaluation/evaluate.ts). An embedded database has only one node.
 */
async function addUsageOfDeleted(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = sql.raw(wholeNumber(engine))
  await db.schema
    .createTable('usage_deleted')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('day', whole, (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('runs', whole, (c) => c.notNull())
    .addColumn('cost_micro', whole, (c) => c.notNull())
    .addColumn('output_tokens', whole, (c) => c.notNull())
    .addColumn('began', whole, (c) => c.notNull())
    .addColumn('ended', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_deleted_of_day', ['workspace_id', 'day', 'model'])
    .execute()
  if (engine === 'postgres')
    await sql`insert into agreed (name, value)
      select 'alerts from runaway', cast(at + ${sql.lit(rollingMs)} as text) from service_beat where id = 1`.execute(db)
}

/**
 * Adds the number of sign-ins that a row counts, and the time of the first of them, which is null if the row counts
 * only one. A node of the previous version adds a row for each sign-in.
 */
async function countSignIns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = sql.raw(wholeNumber(engine))
  await db.schema
    .alterTable('sign_in')
    .addColumn('times', whole, (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('sign_in').addColumn('first_at', whole).execute()
}

/**
 * Adds columns and a table for pauses and times offline that are over. A node of the previous version writes none of
 * them. The sweeper fills `first_report_at` of agents that reported before.
 */
async function keepStates(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  const arrival = arrivalNumber(engine)
  // `agent` is altered before `level_change`, because the transaction of a report locks them in this order.
  await db.schema.alterTable('agent').addColumn('first_report_at', whole).execute()
  await db.schema.alterTable('level_change').addColumn('paused', whole).execute()
  await sql`create table agent_offline (
    seq ${arrival},
    agent_id text not null references agent(id) on delete cascade,
    from_at ${sql.raw(whole)} not null,
    until_at ${sql.raw(whole)} not null,
    stopped text
  )`.execute(db)
  await db.schema
    .createIndex('agent_offline_of_agent')
    .on('agent_offline')
    .columns(['agent_id', 'from_at', 'until_at'])
    .execute()
  await sql`create index alert_ended_in_scope on alert (scope, ended_at) where ended_at is not null`.execute(db)
  await db.schema.dropIndex('level_change_of_agent').execute()
  await db.schema.createIndex('level_change_of_agent').on('level_change').columns(['agent_id', 'at', 'seq']).execute()
}

/**
 * Adds the numbers of agents by blueprint version and day (fleet/versions/days.ts). Nodes of the previous version do
 * not write them, so days on which only such nodes ran are missing.
 */
async function addVersionDays(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = sql.raw(wholeNumber(engine))
  await db.schema
    .createTable('version_day')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('day', whole, (c) => c.notNull())
    .addColumn('blueprint', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('agents', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('version_day_of_day', ['workspace_id', 'day', 'blueprint', 'version'])
    .execute()
}

/**
 * Adds filters that limit alert rules to some agents. A node of the previous version would judge such a rule for all
 * agents, so a filter can be set only when all nodes have noted that they know filters (alerts/changes/rules.ts).
 */
async function addRuleFilters(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('alert_rule').addColumn('filter', 'text').execute()
  await db.schema.alterTable('factor_node').addColumn('rule_filters', 'integer').execute()
}

/**
 * Adds passkeys and used challenges. A node of the previous version would accept a password as the proof of somebody
 * who has a passkey, so a passkey can be added only when all nodes have noted that they know passkeys.
 */
async function addPasskeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = wholeNumber(engine)
  await db.schema
    .createTable('passkey')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('credential', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', time, (c) => c.notNull())
    .addColumn('created_at', time, (c) => c.notNull())
    .addColumn('used_at', time)
    .execute()
  await db.schema.createIndex('passkey_of_person').on('passkey').columns(['person_id']).execute()
  await db.schema
    .createTable('passkey_challenge')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', time, (c) => c.notNull())
    .execute()
  await db.schema.alterTable('factor_node').addColumn('passkeys', 'integer').execute()
}

/** Adds an index for counting a person's audit entries of one kind, before operations that need a proof. */
async function addIndexOfKinds(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('audit_of_kind').on('audit').columns(['actor_id', 'action', 'at']).execute()
}

/**
 * Adds the connections of people with accounts at the sign-in provider, and the callbacks that were used. A node of the
 * previous version would leave an account connected when it is handed over to its owner, so an account is
 * connected only when all nodes know connections.
 */
async function addSignInProvider(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = wholeNumber(engine)
  await db.schema
    .createTable('oidc_connection')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('connected_at', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('oidc_connection_subject')
    .unique()
    .on('oidc_connection')
    .columns(['issuer', 'subject'])
    .execute()
  await db.schema
    .createTable('oidc_callback')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', time, (c) => c.notNull())
    .execute()
  await db.schema.alterTable('factor_node').addColumn('oidc', 'integer').execute()
}

/** Adds the name that a person knows for their account at the sign-in provider. */
async function addProviderAccount(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('oidc_connection').addColumn('account', 'text').execute()
}

/** Removes the topics of ntfy from the shown parts of addresses, as for a new channel. The address stays, encrypted. */
async function hideTopics(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{
    id: string
    shown: string
  }>`select id, shown from alert_channel where kind = 'ntfy'`.execute(db)
  for (const { id, shown } of rows)
    await sql`update alert_channel set shown = ${`${URL.parse(shown)?.origin ?? ''}/…`} where id = ${id}`.execute(db)
}
