import { PostgresAdapter, type QueryExecutorProvider } from 'kysely'

/** SQLite inside this process, or a PostgreSQL server. */
export type Engine = 'sqlite' | 'postgres'

/** True on PostgreSQL, also inside a transaction. For the few statements that differ between the engines. */
export const isPostgres = (db: QueryExecutorProvider): boolean => db.getExecutor().adapter instanceof PostgresAdapter
