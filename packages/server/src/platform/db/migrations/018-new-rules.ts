import { type Kysely, sql } from 'kysely'

const rollingMs = 3_600_000

/**
 * Notes from when on alerts of the rule `disk` may open (see alerts/evaluation/evaluate.ts). A node of the previous
 * version cannot word one, so none opens within an hour after the service was last seen. A new database gets no note.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into agreed (name, value)
    select 'alerts from disk', cast(at + ${sql.lit(rollingMs)} as text) from service_beat where id = 1`.execute(db)
}
