import { getMigrations } from 'better-auth/db/migration'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { authOptions } from '../people/auth.ts'
import * as first from './migrations/001-first.ts'
import type { Engine, Store } from './open.ts'

const migrations: Record<string, { up: (db: Kysely<unknown>, engine: Engine) => Promise<void> }> = {
  '001-first': first,
}

/**
 * Brings the store to this version: the accounts library's tables first (ours refer to them), then ours.
 * Never one inside the other: on SQLite that waits for itself for ever.
 */
export async function migrate(store: Store): Promise<void> {
  const accounts = await getMigrations(
    authOptions(store, { baseUrl: 'http://localhost', secret: 'for migrations only'.padEnd(32) }),
  )
  await accounts.runMigrations()
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(migrations).map(([name, { up }]): [string, Migration] => [
          name,
          { up: (db) => up(db, store.engine) },
        ]),
      ),
  }
  const { error } = await new Migrator({ db: store.db, provider }).migrateToLatest()
  if (error) throw new Error('The database could not be brought to this version.', { cause: error })
}
