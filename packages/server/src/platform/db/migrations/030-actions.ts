import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { arrivalNumber, type Migrations, wholeNumber } from './migration.ts'

/** Actions on many agents, and filters, tags and views to select them. */
export const actions: Migrations = {
  '030-actions': addActions,
  '031-host-and-tags': addHostAndTags,
  '033-left-out-for': addLeftOutFor,
  '035-views': addViews,
  '037-tags-of-codes': addTagsOfCodes,
  '038-bodies-in-rows': keepBodiesInRows,
  '039-code-tries': addCodeTries,
  '040-second-of-sign-in': addSecondOfSignIn,
  '041-tests': addIndexOfTests,
  '044-action-counts': addCountsOfActions,
  '045-action-changes': addChangesOfActions,
}

/**
 * Adds actions, each of which sends one command to many agents, and the outcome for each of their agents. The rows of
 * an action keep the names of agents that were deleted, so they do not refer to the table of agents.
 */
async function addActions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
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

/**
 * Adds the table of the agents' tags, and a column for the name of the agent's machine, so that filters need not read
 * the body of the report. The column is null until the next report.
 */
async function addHostAndTags(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('agent_report').addColumn('host', 'text').execute()
  await db.schema
    .createTable('agent_tag')
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agent.id').onDelete('cascade'))
    .addColumn('tag', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_tag_key', ['agent_id', 'tag'])
    .execute()
}

/** Adds the column with the unfinished rollout because of which an agent is left out of a new one. */
async function addLeftOutFor(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rollout_agent').addColumn('left_out_for', 'text').execute()
}

/**
 * Adds views, which are named filters of the list of agents. A view without a member belongs to the workspace. A view
 * of a member is deleted with the membership.
 */
async function addViews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saved_view')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('member_id', 'text', (c) => c.references('member.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('q', 'text', (c) => c.notNull())
    .addColumn('sort', 'text')
    .addColumn('columns', 'text')
    .execute()
  await sql`create unique index view_of_workspace on saved_view (workspace_id, name) where member_id is null`.execute(
    db,
  )
  await sql`create unique index view_of_member on saved_view (member_id, name) where member_id is not null`.execute(db)
}

/**
 * Adds the column with the tags that an install code gives to its agent. A node of the previous version ignores the
 * tags when it redeems a code.
 */
async function addTagsOfCodes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('install_code').addColumn('tags', 'text').execute()
}

/**
 * Keeps reports of up to 8 KB uncompressed in their rows. By default, PostgreSQL compresses rows larger than 2 KB,
 * which costs more than writing them.
 */
async function keepBodiesInRows(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  await sql`alter table agent_report set (toast_tuple_target = 8160)`.execute(db)
}

/**
 * Adds the table of wrong codes by person and by party, such as a browser or a session (people/factors/rules.ts). Nodes
 * of the previous version count in `wrong_code`, by person alone.
 */
async function addCodeTries(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = wholeNumber(engine)
  await db.schema
    .createTable('code_try')
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('party', 'text', (c) => c.notNull())
    .addColumn('count', time, (c) => c.notNull())
    .addColumn('at', time, (c) => c.notNull())
    .addPrimaryKeyConstraint('code_try_key', ['person_id', 'party'])
    .execute()
}

/**
 * Adds the column with the second factor of a sign-in. It is null if none was asked for, and for sign-ins that a node
 * of the previous version recorded.
 */
async function addSecondOfSignIn(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sign_in').addColumn('second', 'text').execute()
}

/**
 * Adds an index of the queued tests of channels. A person waits for each test, so the dispatcher looks for them at
 * least every second.
 */
async function addIndexOfTests(db: Kysely<unknown>): Promise<void> {
  await sql`create index alert_delivery_tests on alert_delivery (due_at) where state = 'waiting' and kind = 'test'`.execute(
    db,
  )
}

/**
 * Adds the column with the counts of an action that is over. A trigger empties it when a late answer (D3) changes the
 * counts, since nodes of the previous version store such answers, too.
 */
async function addCountsOfActions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable('action').addColumn('counts', 'text').execute()
  await sql`create index action_uncounted on action (id) where counts is null`.execute(db)
  const empty = `update action set counts = null
    where counts is not null and id in (select action_id from action_agent where command_id = new.id)`
  const late = `after update of state on command for each row when (old.state = 'failed' and new.state <> 'failed')`
  if (engine === 'sqlite') {
    await sql.raw(`create trigger action_answered_late ${late} begin ${empty}; end`).execute(db)
    return
  }
  await sql
    .raw(
      `create function action_answered_late() returns trigger language plpgsql as $$ begin ${empty}; return null; end $$`,
    )
    .execute(db)
  await sql.raw(`create trigger action_answered_late ${late} execute function action_answered_late()`).execute(db)
}

/**
 * Adds triggers that write each change of an agent's state in an action to `action_change`, from which
 * updates/actions/counts.ts computes the counts. They also see the commands that nodes of the previous version change,
 * and cost nothing for a report without a command.
 */
async function addChangesOfActions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = wholeNumber(engine)
  const arrival = arrivalNumber(engine)
  await sql`create table action_change (
    seq ${arrival},
    action_id text not null,
    was text not null,
    became text not null
  )`.execute(db)
  await db.schema.createIndex('action_change_of').on('action_change').column('action_id').execute()
  await db.schema.alterTable('action').addColumn('open_agents', sql.raw(whole)).execute()
  await sql`create index action_open_unknown on action (id) where open_agents is null`.execute(db)
  await sql`drop trigger action_answered_late ${sql.raw(engine === 'sqlite' ? '' : 'on command')}`.execute(db)
  if (engine === 'postgres') await sql`drop function action_answered_late()`.execute(db)
  await sql`update action set open_agents = 0 where counts is not null`.execute(db)
  for (const trigger of triggers) for (const text of textsOf(trigger, engine)) await sql.raw(text).execute(db)
}

interface Trigger {
  name: string
  on: string
  does: string
  /** A statement that locks the rows that the trigger reads; only PostgreSQL needs it. */
  locks?: string
}

/** SQL that turns the state of an agent's command into the agent's state in an action (fleet/commands/outcomes.ts). */
const ofCommand = (state: string) => `case ${state} when 'queued' then 'waiting' when 'delivered' then 'sent'
  when 'applied_late' then 'applied' when 'refused_late' then 'refused' else ${state} end`

/** SQL for an agent's state in an action, from its row of `action_agent` before (`old`) or after (`new`) a change. */
const ofAgent = (row: 'old' | 'new') => `coalesce(${row}.outcome,
  (select ${ofCommand('state')} from command where id = ${row}.command_id),
  case when ${row}.command_id is null then 'waiting' else 'cancelled' end)`

const insert = 'insert into action_change (action_id, was, became)'
const moved = (after: string) => `${insert} select action_id, ${ofCommand('old.state')}, ${after}
  from action_agent where command_id = old.id and outcome is null`

const triggers: readonly Trigger[] = [
  {
    name: 'action_command_changed',
    on: 'after update of state on command for each row when (old.state <> new.state)',
    does: moved(ofCommand('new.state')),
  },
  { name: 'action_command_deleted', on: 'after delete on command for each row', does: moved(`'cancelled'`) },
  {
    name: 'action_agent_changed',
    on: `after update of outcome, command_id on action_agent for each row
      when (old.outcome is distinct from new.outcome or old.command_id is distinct from new.command_id)`,
    does: `${insert} select new.action_id, was, became
      from (select ${ofAgent('old')} as was, ${ofAgent('new')} as became) as changed where was <> became`,
    locks: 'perform 1 from command where id in (old.command_id, new.command_id) for share;',
  },
]

function textsOf({ name, on, does, locks = '' }: Trigger, engine: Engine): string[] {
  if (engine === 'sqlite') return [`create trigger ${name} ${on} begin ${does}; end`]
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${locks} ${does}; return null; end $$`,
    `create trigger ${name} ${on} execute function ${name}()`,
  ]
}
