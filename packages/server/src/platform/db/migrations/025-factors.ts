import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the tables of second factors: authenticator apps, recovery codes, wrong codes, what each session has shown,
 * first halves of a sign-in, the workspaces that require a factor, and the nodes that know factors.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const time = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('totp')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('created_at', time, (c) => c.notNull())
    .addColumn('confirmed_at', time)
    .addColumn('last_step', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('recovery_code')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('created_at', time, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('recovery_code_of_person').on('recovery_code').columns(['person_id']).execute()
  await db.schema
    .createTable('wrong_code')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('count', time, (c) => c.notNull())
    .addColumn('at', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('session_proof')
    .addColumn('session_id', 'text', (c) => c.primaryKey().references('session.id').onDelete('cascade'))
    .addColumn('factor_at', time)
    .addColumn('proof_at', time)
    .execute()
  await db.schema
    .createTable('first_half')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('person_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('expires_at', time, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('first_half_of_person').on('first_half').columns(['person_id']).execute()
  await db.schema
    .createTable('factor_requirement')
    .addColumn('workspace_id', 'text', (c) => c.primaryKey().references('workspace.id').onDelete('cascade'))
    .addColumn('from_at', time, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('factor_node')
    .addColumn('node', 'text', (c) => c.primaryKey())
    .addColumn('at', time, (c) => c.notNull())
    .execute()
}
