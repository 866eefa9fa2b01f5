/** Errors of the database: those that this service throws, and functions that say what an engine's error means. */

/** The error for a database that is missing or cannot be used. Its message says what to do. */
export class StoreError extends Error {}

/**
 * SQLite's primary codes for a database that cannot work now: SQLITE_PERM, ABORT, BUSY, LOCKED, NOMEM, READONLY,
 * INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOLFS and NOTADB.
 */
const sqliteFailures = new Set([3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 22, 26])
/**
 * PostgreSQL's classes for the same: lost connections, lost transactions, missing resources, interventions and system
 * errors; and its codes for a read-only copy and for damaged data.
 */
const postgresFailures = /^((08|40|53|57|58)...|25006|XX00[12])$/
/** The messages of the driver's errors about connections, which have no code. */
const connectionFailures =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a conn)/

/**
 * True for an error that says that the database cannot be reached, is full, or gave up on a statement (I10): the
 * service is then unavailable. False for errors about the statement itself, such as bad SQL or a missing value.
 */
export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (!('code' in error) || error.code === undefined) return connectionFailures.test(error.message)
  const code = String(error.code)
  if (code === 'ERR_SQLITE_ERROR') return 'errcode' in error && sqliteFailures.has(Number(error.errcode) % 256)
  return postgresFailures.test(code) || /^(ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/.test(code)
}

/**
 * True for PostgreSQL's error about a text with U+0000, which PostgreSQL cannot store. The answer is then that the text
 * of the request is invalid (I10).
 */
export const isUnstorableText = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '22021'

/**
 * True for an error about a violated unique or foreign key. Usually two requests did the same thing at the same time.
 */
export function isConstraint(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return code === '23505' || code === '23503' || errcode === 2067 || errcode === 1555 || errcode === 787
}
