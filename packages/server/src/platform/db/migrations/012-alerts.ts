import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * The tables for alerts, their rules, mutes and channels, for deliveries of messages, for the hours in which agents are
 * expected to report, and for mails about accounts.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
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
