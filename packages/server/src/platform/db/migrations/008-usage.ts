import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds a column to `agent_report` for an agent's runs, costs and tokens of a day that are not in `usage_day` yet
 * (fleet/reports/pending.ts). On SQLite the table is rebuilt, since a column after a long body can only be
 * read through all pages of that body.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
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
