import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { type Migrations, wholeNumber } from './migration.ts'

/** Changes for larger fleets and more people: cheaper updates and lists of agents, recorded sign-ins, limits. */
export const scale: Migrations = {
  '007-room': leaveRoomInPages,
  '008-usage': addPendingUsage,
  '009-sign-ins': addSignIns,
  '010-signs': addFactsForLists,
  '011-limits': addLimits,
}

/**
 * Leaves room in the pages of tables that are often updated. PostgreSQL writes a changed row as a new row; if the new
 * row fits into the same page, no index has to change.
 */
async function leaveRoomInPages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  for (const [table, percent] of [
    ['agent_report', 60],
    ['run', 80],
    ['usage_day', 80],
  ] as const)
    await sql`alter table ${sql.table(table)} set (fillfactor = ${sql.lit(percent)})`.execute(db)
}

/**
 * Adds a column to `agent_report` for an agent's runs, costs and tokens of a day that are not in `usage_day` yet
 * (fleet/reports/pending.ts). On SQLite the table is rebuilt, since a column after a long body can only be
 * read through all pages of that body.
 */
async function addPendingUsage(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await db.schema.alterTable('agent_report').addColumn('usage', 'text').execute()
    return
  }
  await sql`alter table agent_report rename to agent_report_before`.execute(db)
  await sql`create table agent_report (
    agent_id text not null primary key references agent(id) on delete cascade,
    received_at integer not null,
    level text,
    label text,
    detail text,
    version text,
    doing text,
    controls text not null,
    interval_s integer not null,
    boot text,
    seq integer,
    reporters text not null,
    runs_kept integer not null,
    usage text,
    body text not null
  )`.execute(db)
  await sql`insert into agent_report select agent_id, received_at, level, label, detail, version, doing, controls,
    interval_s, boot, seq, reporters, runs_kept, null, body from agent_report_before`.execute(db)
  await sql`drop table agent_report_before`.execute(db)
}

/** Adds the tables for the last sign-ins of people, and for the accounts whose e-mail address was confirmed. */
async function addSignIns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = wholeNumber(engine)
  await db.schema
    .createTable('sign_in')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('at', time, (c) => c.notNull())
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('sign_in_of_person').on('sign_in').columns(['person_id', 'at']).execute()
  await db.schema
    .createTable('email_confirmation')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('at', time, (c) => c.notNull())
    .execute()
}

/**
 * Adds columns for facts of an agent's last report, so that lists need not read its body: when the agent wrote its
 * status file (D65), warnings, and who stopped the reporter (D66). On SQLite the table is rebuilt, since a column after
 * a long body can only be read through all pages of that body.
 */
async function addFactsForLists(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await db.schema
      .alterTable('agent_report')
      .addColumn('status_at', 'bigint')
      .addColumn('warnings', 'text')
      .addColumn('stopped', 'text')
      .execute()
    return
  }
  await sql`alter table agent_report rename to agent_report_before`.execute(db)
  await sql`create table agent_report (
    agent_id text not null primary key references agent(id) on delete cascade,
    received_at integer not null,
    level text,
    label text,
    detail text,
    version text,
    doing text,
    controls text not null,
    interval_s integer not null,
    boot text,
    seq integer,
    reporters text not null,
    runs_kept integer not null,
    usage text,
    status_at integer,
    warnings text,
    stopped text,
    body text not null
  )`.execute(db)
  await sql`insert into agent_report select agent_id, received_at, level, label, detail, version, doing, controls,
    interval_s, boot, seq, reporters, runs_kept, usage, null, null, null, body from agent_report_before`.execute(db)
  await sql`drop table agent_report_before`.execute(db)
}

/**
 * Adds the table of a workspace's limits that the operator set, and the index for counting the activity of one person.
 */
async function addLimits(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await db.schema
    .createTable('workspace_limit')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('value', whole, (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('workspace_limit_key', ['workspace_id', 'kind'])
    .execute()
  await db.schema.createIndex('audit_of_person').on('audit').columns(['actor_id', 'at']).execute()
}
