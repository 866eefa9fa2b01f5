import type { BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import type { Engine } from './engine.ts'
import { StoreError } from './error.ts'
import { first } from './migrations/001-first.ts'
import { updates } from './migrations/002-updates.ts'
import { scale } from './migrations/007-scale.ts'
import { alerts } from './migrations/012-alerts.ts'
import { people } from './migrations/019-people.ts'
import { actions } from './migrations/030-actions.ts'
import { history } from './migrations/047-history.ts'
import type { Migrations } from './migrations/migration.ts'
import type { Db, Store } from './open.ts'
import { type DatabaseName, whyPostgresFails } from './reasons.ts'
import { transaction } from './transaction.ts'

const migrations: Migrations = { ...first, ...updates, ...scale, ...alerts, ...people, ...actions, ...history }

const minVersion = 15
/**
 * The number of PostgreSQL's advisory lock for migrations, so that nodes that start together migrate one after another.
 * The number itself is arbitrary.
 */
const migrationLock = 7_270_001

/**
 * Migrates the store to this version: first the accounts library's tables, which `accounts` describes
 * (`accountTables`), then the service's own tables, which refer to them. The first migration must not run inside the
 * second: on SQLite that deadlocks. Several nodes may call this at the same time; `upTo` is for tests.
 */
export async function migrate(store: Store, accounts: BetterAuthOptions, upTo?: string): Promise<void> {
  if (store.engine === 'sqlite') return migrateAlone(store, accounts, upTo)
  const { holder, place } = await firstConnection(store.pool)
  try {
    await holder.query('begin')
    await holder.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await migrateAlone(store, accounts, upTo)
    await holder.query('commit')
  } catch (error) {
    await holder.query('rollback').catch(() => {})
    throw explainedFailure(error, place)
  } finally {
    holder.release()
  }
}

/** An error of a migration, with the reason in words if it is an error of PostgreSQL. */
function explainedFailure(error: unknown, place: DatabaseName): unknown {
  const why = error instanceof StoreError ? undefined : whyPostgresFails(error, place)
  return why === undefined
    ? error
    : new StoreError(`PostgreSQL could not be prepared for this version: ${why}`, { cause: error })
}

/** Opens a connection and checks the requirements on PostgreSQL before anything is written. */
async function firstConnection(pool: pg.Pool): Promise<{ holder: pg.PoolClient; place: DatabaseName }> {
  // The library throws at once if it cannot read a file that the address names.
  const connected = Promise.resolve().then(() => pool.connect())
  const client = await connected.catch((cause: Error) => {
    throw new StoreError(`PostgreSQL could not be opened: ${whyPostgresFails(cause) ?? cause.message}`, { cause })
  })
  const asked = `select current_setting('server_version_num')::int as version, current_setting('server_version') as called,
    current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as commits,
    quote_ident(current_user) as role, quote_ident(current_database()) as database`
  const { version, called, encoding, commits, role, database } = (await client.query(asked)).rows[0]
  const wrong =
    version < minVersion * 10_000
      ? `PostgreSQL ${minVersion} or newer is needed: this one is ${called}.`
      : encoding !== 'UTF8'
        ? `The database must have the encoding UTF8: it has ${encoding}.`
        : commits === 'off' &&
          'The database must not have synchronous_commit off: after a crash it would deliver commands a second time.'
  if (!wrong) return { holder: client, place: { role, database } }
  client.release()
  throw new StoreError(wrong)
}

/**
 * Returns the name of the first migration in the database that this version does not know, since a newer version made
 * it; undefined if there is none.
 */
export async function newerMigration({ db }: Store): Promise<string | undefined> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return undefined
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.find(({ name }) => !Object.hasOwn(migrations, name))?.name
}

/** Refuses a database with migrations of a newer svc, whose tables this version does not know. */
async function refuseNewer(store: Store): Promise<void> {
  const newer = await newerMigration(store)
  if (newer === undefined) return
  throw new StoreError(
    `The database was upgraded by a newer version (${newer}). Start that version or a newer one. Nodes of this version that are already running can keep running until they are replaced.`,
  )
}

/**
 * The tables that other transactions lock first, in the order in which they lock them. Each migration locks them in
 * this order, too. Otherwise an upgrade and the reports to a node of the previous version would deadlock.
 */
const lockedFirst = ['rollout', 'action', 'agent', 'command']

async function lockInOrder(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  const tables = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema() and tablename = any(${lockedFirst})`.execute(db)
  const there = new Set(tables.rows.map(({ name }) => name))
  for (const table of lockedFirst)
    if (there.has(table)) await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db)
}

/**
 * Migrates the tables of the accounts library. The library makes indexes only for tables that it creates in the same
 * run, so a run must be one transaction. Otherwise a start that is killed between tables and indexes would leave tables
 * without indexes.
 */
async function migrateAccounts(trx: Db, { engine }: Store, accounts: BetterAuthOptions): Promise<void> {
  await (await getMigrations({ ...accounts, database: { db: trx, type: engine } })).runMigrations()
}

async function migrateAlone(store: Store, accounts: BetterAuthOptions, upTo: string | undefined): Promise<void> {
  await refuseNewer(store)
  await transaction(store.db, (trx) => migrateAccounts(trx, store, accounts))
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(migrations).map(([name, up]): [string, Migration] => [
          name,
          { up: (db) => lockInOrder(db, store.engine).then(() => up(db, store.engine)) },
        ]),
      ),
  }
  const migrator = new Migrator({ db: store.db, provider })
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  if (error) throw new Error('The database could not be upgraded to this version.', { cause: error })
}
