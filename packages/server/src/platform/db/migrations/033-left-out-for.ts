import type { Kysely } from 'kysely'

/** Adds the column with the unfinished rollout because of which an agent is left out of a new one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rollout_agent').addColumn('left_out_for', 'text').execute()
}
