import { getMigrations } from 'better-auth/db/migration'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { authOptions } from '../people/auth.ts'
import * as first from './migrations/001-first.ts'
import * as blueprints from './migrations/002-blueprints.ts'
import * as releases from './migrations/003-releases.ts'
import * as wishes from './migrations/004-wishes.ts'
import type { Engine, Store } from './open.ts'

const migrations: Record<string, { up: (db: Kysely<unknown>, engine: Engine) => Promise<void> }> = {
  '001-first': first,
  '002-blueprints': blueprints,
  '003-releases': releases,
  '004-wishes': wishes,
}

/** Any number that is ours: nodes that start together migrate one after another. */
const migrationLock = 7_270_001

/**
 * Brings the store to this version: the accounts library's tables first (ours refer to them), then ours.
 * Never one inside the other: on SQLite that waits for itself for ever. Several nodes may call it at once.
 */
export async function migrate(store: Store): Promise<void> {
  if (store.engine === 'sqlite') return migrateAlone(store)
  const holder = await store.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await migrateAlone(store)
    await holder.query('commit')
  } catch (error) {
    await holder.query('rollback').catch(() => {})
    throw error
  } finally {
    holder.release()
  }
}

async function migrateAlone(store: Store): Promise<void> {
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
