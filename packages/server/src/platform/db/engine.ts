import { PostgresAdapter, type QueryExecutorProvider } from 'kysely'

/** The database engine: SQLite inside this process, or a PostgreSQL server. */
export type Engine = 'sqlite' | 'postgres'

/**
 * True on PostgreSQL, also inside a transaction. It is needed for the few statements that differ between the engines.
 */
export const isPostgres = (db: QueryExecutorProvider): boolean => db.getExecutor().adapter instanceof PostgresAdapter
