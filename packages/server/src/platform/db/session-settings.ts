/**
 * The settings of a PostgreSQL session on which the code relies, in one place. A role or a database may have others, and
 * they survive dumps; so each new connection, also of the accounts library, sets these for itself before it is used.
 */
import type pg from 'pg'

/** Each setting with its value. What is not here may be anything, such as `search_path` or `default_transaction_read_only`. */
export const sessionSettings = {
  // The library reads dates as ISO writes them. In any other style it reads none, so that no session would be valid.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  // The shortest text that is exactly the stored number: costs are stored as they were reported.
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // Lists with null are sent as arrays; switched off, null would be read as the text NULL.
  array_nulls: 'on',
  transform_null_equals: 'off',
  // The row locks of the code are those of read committed.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // An error ends a statement, not the connection.
  exit_on_error: 'off',
  // The service gives up by itself (`giveUpAfter`). Migrations and moves may take longer than a limit for other programs.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
} as const

const names = Object.keys(sessionSettings)
const statement = `select ${names.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`).join(', ')}`
const values = Object.entries(sessionSettings).flat()

/** Gives a new connection the settings. */
export async function settle(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(statement, values)
}
