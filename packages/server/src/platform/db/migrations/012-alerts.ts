import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { type Migrations, rollingMs, wholeNumber } from './migration.ts'

/** Alerts and their messages. */
export const alerts: Migrations = {
  '012-alerts': addAlerts,
  '013-signs': addFactsForAlerts,
  '014-report-signs': moveFactsForAlerts,
  '015-sender': numberDeliveries,
  '016-marks': addNodeMarks,
  '017-sends': addCountedSends,
  '018-new-rules': delayDiskAlerts,
}

/**
 * Adds the tables for alerts, their rules, mutes and channels, for deliveries of messages, for the hours in which
 * agents are expected to report, and for mails about accounts.
 */
async function addAlerts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  const required = ['text', 'not null'] as const
  const optional = ['text', ''] as const
  const number = [whole, 'not null'] as const
  const maybe = [whole, ''] as const
  const columns = <T extends string, C extends string>(
    table: CreateTableBuilder<T, C>,
    all: Readonly<Record<string, readonly ['text' | 'integer' | 'bigint', string]>>,
  ) => {
    let made: CreateTableBuilder<T, string> = table
    for (const [name, [type, rule]] of Object.entries(all))
      made = made.addColumn(name, type, (c) => (rule === '' ? c : c.notNull()))
    return made
  }
  /**
   * Starts the definition of a table. Its rows belong to a workspace or to the service, and are deleted with their
   * workspace.
   */
  const scoped = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('workspace_id', 'text', (c) => c.references('workspace.id').onDelete('cascade'))

  await columns(scoped('alert_rule'), {
    rule: required,
    is_on: maybe,
    after_s: maybe,
    limit_micro: maybe,
    statuses: optional,
    channels: optional,
    reminds: maybe,
    escalation_s: maybe,
    escalation_channels: optional,
  })
    .addPrimaryKeyConstraint('alert_rule_key', ['scope', 'rule'])
    .execute()

  await columns(
    scoped('alert').addColumn('id', 'text', (c) => c.primaryKey()),
    {
      rule: required,
      level: required,
      subject_kind: required,
      subject_id: required,
      subject_name: required,
      cause: optional,
      phase: required,
      phase_since: number,
      since: number,
      label: optional,
      openings: required,
      unsteady_since: maybe,
      opened_at: maybe,
      ended_at: maybe,
      acknowledged_by: optional,
      acknowledged_at: maybe,
      note: optional,
      told: required,
      told_at: maybe,
      reminders: number,
      escalated_at: maybe,
      frozen: number,
      muted: number,
      agents: optional,
      version: number,
    },
  ).execute()
  await sql`create unique index alert_current on alert (scope, rule, subject_kind, subject_id) where ended_at is null`.execute(
    db,
  )
  await sql`create unique index alert_cause on alert (scope, cause) where cause is not null`.execute(db)
  await db.schema.createIndex('alert_listed').on('alert').columns(['scope', 'id']).execute()
  await sql`create index alert_ended on alert (ended_at) where ended_at is not null`.execute(db)

  await columns(
    scoped('alert_mute')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('agent_id', 'text', (c) => c.references('agent.id').onDelete('cascade')),
    {
      rule: optional,
      from_at: number,
      until_at: maybe,
      created_at: number,
      created_by: optional,
      created_by_name: required,
      ended_at: maybe,
    },
  ).execute()
  await sql`create index alert_mute_current on alert_mute (scope) where ended_at is null`.execute(db)

  await columns(
    scoped('alert_channel')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('person_id', 'text', (c) => c.references('user.id').onDelete('cascade')),
    {
      owner: required,
      name: required,
      preferences: optional,
      kind: required,
      format: required,
      enabled: number,
      disabled_why: optional,
      shown: required,
      sealed: required,
      created_at: number,
      created_by_name: required,
      last_answer: optional,
      last_at: maybe,
      grouped_at: maybe,
      failing_since: maybe,
      dead: number,
    },
  )
    .addUniqueConstraint('alert_channel_name', ['scope', 'owner', 'name'])
    .execute()

  await columns(
    db.schema
      .createTable('alert_delivery')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('channel_id', 'text', (c) => c.notNull().references('alert_channel.id').onDelete('cascade')),
    {
      kind: required,
      changes: required,
      body: optional,
      state: required,
      tries: number,
      created_at: number,
      due_at: maybe,
      leased_until: maybe,
      ended_at: maybe,
      last_answer: optional,
    },
  ).execute()
  await sql`create index alert_delivery_due on alert_delivery (due_at) where state = 'waiting'`.execute(db)
  await db.schema.createIndex('alert_delivery_listed').on('alert_delivery').columns(['channel_id', 'id']).execute()

  await columns(
    db.schema.createTable('alert_lease').addColumn('id', 'integer', (c) => c.primaryKey()),
    { holder: required, until_at: number, turned_at: maybe },
  ).execute()

  await db.schema
    .createTable('agent_hours')
    .addColumn('agent_id', 'text', (c) => c.primaryKey().references('agent.id').onDelete('cascade'))
    .addColumn('hours', 'text', (c) => c.notNull())
    .execute()

  await columns(
    db.schema.createTable('account_mail').addColumn('id', 'text', (c) => c.primaryKey()),
    { topic: required, tries: number, created_at: number, due_at: number, leased_until: number },
  ).execute()
}

/**
 * Adds the column `signs` to `agent` for the facts about the last report that alerts need. It is null until they are
 * known, so no row is filled here. Also adds two indexes of alerts, the table for the last backup, and the table for
 * the setting of what messages may contain.
 */
async function addFactsForAlerts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await sql`create index alert_open on alert (scope, id) where ended_at is null`.execute(db)
  await sql`create index alert_owed on alert (scope) where muted = 1 and ended_at is not null`.execute(db)
  await db.schema.alterTable('agent').addColumn('signs', 'text').execute()
  await db.schema
    .createTable('service_backup')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', whole, (c) => c.notNull())
    .addColumn('bytes', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('alert_setting')
    .addColumn('scope', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.references('workspace.id').onDelete('cascade'))
    .addColumn('detail', whole, (c) => c.notNull())
    .execute()
}

/**
 * Adds the column `signs` to `agent_report`, which every report writes anyway, and stops using the one of `agent`. That
 * column is emptied, not removed: a node of an earlier version then reads the facts from the bodies of reports.
 */
async function moveFactsForAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('agent_report').addColumn('signs', 'text').execute()
  await sql`update agent set signs = null where signs is not null`.execute(db)
}

/**
 * Adds `seq`, the order of a channel's messages, and for channels a lease and the result of the last try. PostgreSQL
 * numbers also the rows that a node of the previous version inserts.
 */
async function numberDeliveries(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await db.schema
    .alterTable('alert_delivery')
    .addColumn('seq', whole, (c) => c.notNull().defaultTo(0))
    .execute()
  // Only waiting deliveries need an order. Until now, it was the order of their ids.
  await sql`update alert_delivery set seq = numbered.seq
    from (select id, row_number() over (order by id) as seq from alert_delivery where state = 'waiting') as numbered
    where alert_delivery.id = numbered.id`.execute(db)
  if (engine === 'postgres') {
    const { rows } = await sql<{ next: string }>`select max(seq) + 1 as next from alert_delivery`.execute(db)
    const next = sql.lit(Number(rows[0]?.next ?? 1))
    await sql`alter table alert_delivery alter column seq drop default`.execute(db)
    await sql`alter table alert_delivery alter column seq add generated by default as identity (start with ${next})`.execute(
      db,
    )
  }
  await sql`create index alert_delivery_order on alert_delivery (channel_id, seq)`.execute(db)
  await sql`create index alert_delivery_waiting on alert_delivery (channel_id, due_at) where state = 'waiting'`.execute(
    db,
  )
  // A node of the previous version joins `alert_channel` with `alert_delivery`, so the new columns have names that
  // `alert_delivery` does not use.
  for (const [name, type] of [
    ['serving_node', 'text'],
    ['serving_until', whole],
    ['works', 'integer'],
  ] as const)
    await db.schema.alterTable('alert_channel').addColumn(name, type).execute()
  await sql`update alert_channel set works = 1 where failing_since is null and last_at is not null`.execute(db)
}

/**
 * Adds the table in which each node regularly raises a count, and the table of the losses of commits that nodes notice
 * by such counts (platform/marks.ts).
 */
async function addNodeMarks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await db.schema
    .createTable('node_mark')
    .ifNotExists()
    .addColumn('node', 'text', (c) => c.primaryKey())
    .addColumn('count', whole, (c) => c.notNull())
    .addColumn('at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('service_back')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('noticed_at', whole, (c) => c.notNull())
    .addColumn('lost_from', whole)
    .addColumn('lost_until', whole, (c) => c.notNull())
    .execute()
}

/** Adds the table that counts tests of channels and invitations by mail, so that their number can be limited. */
async function addCountedSends(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  await db.schema
    .createTable('counted_send')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('at', whole, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('counted_send_of_key').on('counted_send').columns(['kind', 'key', 'at']).execute()
  await db.schema.createIndex('counted_send_at').on('counted_send').columns(['at']).execute()
}

/**
 * Stores the time from which alerts of the rule `disk` may open: an hour after the service was last seen. Until then
 * nodes of the previous version, which cannot show such alerts, may run (alerts/evaluation/evaluate.ts).
 */
async function delayDiskAlerts(db: Kysely<unknown>): Promise<void> {
  await sql`insert into agreed (name, value)
    select 'alerts from disk', cast(at + ${sql.lit(rollingMs)} as text) from service_beat where id = 1`.execute(db)
}
