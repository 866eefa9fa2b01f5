import type { Kysely } from 'kysely'
import type { Engine } from '../engine.ts'

/**
 * Adds the tables of people who are disabled, of people who are operators, and of invitations that the operator made. A
 * node of the previous version knows none of them: it lets disabled people sign in, but their sessions do not count
 * here.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint'
  await db.schema
    .createTable('person_disabled')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('disabled_at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('person_operator')
    .addColumn('person_id', 'text', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('made_at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('operator_invitation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('expires_at', whole, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('operator_invitation_of_workspace')
    .on('operator_invitation')
    .columns(['workspace_id'])
    .execute()
}
