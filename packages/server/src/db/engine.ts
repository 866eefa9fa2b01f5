import { PostgresAdapter, type QueryExecutorProvider } from 'kysely'

/** The database engine: SQLite inside this process, or a PostgreSQL server. */
export type Engine = 'sqlite' | 'postgres'

/** True on PostgreSQL, also inside a transaction. A few statements differ between the engines and need it. */
export const isPostgres = (db: QueryExecutorProvider): boolean => db.getExecutor().adapter instanceof PostgresAdapter
