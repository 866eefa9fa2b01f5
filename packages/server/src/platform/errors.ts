/** True for a system error with this code, such as `ENOENT`. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** The error for a wrong configuration. Its message tells the person who runs the service what to fix. */
export class ConfigError extends Error {}

/** The message of an error, or the text of any other thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** True for the error of code that cannot be loaded because an upgrade replaced the files of the running program. */
export const isProgramReplaced = (error: unknown): boolean => isCode(error, 'ERR_MODULE_NOT_FOUND')

/** The reasons of system errors in words, by their codes. */
const systemReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota of this user is used up',
  EFBIG: 'the file would be larger than this system allows',
  EIO: 'the disk or terminal reported an error',
  EROFS: 'the file system is read-only',
  EACCES: 'this user does not have the right to do that',
  EPERM: 'this user does not have the right to do that',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'the path has too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMLINK: 'the file has too many links',
  EXDEV: 'the folders are on different file systems',
  EBUSY: 'the file is in use',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  // PostgreSQL: disk_full, and read_only_sql_transaction.
  '53100': 'no space is left on the disk of PostgreSQL',
  '25006': 'PostgreSQL is a read-only copy',
}

/** The reasons of SQLite's errors in words, by the extended code or by its lowest byte, the primary code. */
const sqliteReasons: Readonly<Record<number, string>> = {
  5: 'another program holds the lock of the database file',
  8: 'the database is read-only',
  10: 'the disk reported an error',
  11: 'the database is damaged',
  13: 'no space is left on the disk',
  14: 'the database cannot be opened',
  26: 'the file is not a database',
  // SQLITE_IOERR_SHMSIZE: the file with the index of the log could not grow.
  4874: 'no space is left on the disk',
}

/**
 * Says why the file system or the database failed, such as `no space is left on the disk (ENOSPC)`, followed by the
 * path if it is known. Looks for the reason in the causes of the error, too. Undefined for any other error.
 */
export function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode, path } = error as { code?: unknown; errcode?: unknown; path?: unknown }
  const named = typeof code === 'string' && Object.hasOwn(systemReasons, code) ? systemReasons[code] : undefined
  const reason =
    named ?? (typeof errcode === 'number' ? (sqliteReasons[errcode] ?? sqliteReasons[errcode & 0xff]) : undefined)
  if (reason === undefined) return systemReason(error.cause)
  const where = typeof path === 'string' ? `: ${path}` : ''
  return `${reason} (${named === undefined ? `SQLite ${errcode}` : code})${where}`
}
