import { type Kysely, sql } from 'kysely'

/** Adds an index of the tests of channels that wait. A person waits for each, so all of them are read every second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index alert_delivery_tests on alert_delivery (due_at) where state = 'waiting' and kind = 'test'`.execute(
    db,
  )
}
