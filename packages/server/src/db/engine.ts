import { PostgresAdapter } from 'kysely'
import type { Db } from './open.ts'

/** For the few statements that the two engines do not share. Also right for a transaction. */
export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter
