import { PostgresAdapter } from 'kysely'
import type { Db } from './open.ts'

/** True on PostgreSQL, also inside a transaction. For the few statements that differ between the engines. */
export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter
