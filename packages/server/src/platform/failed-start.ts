/** Says of an error that ends a start whether the database is at fault, and why. */
import { StoreError } from './db/error.ts'
import { whyPostgresFails } from './db/reasons.ts'
import { systemReason } from './errors.ts'

/**
 * The error of a start with a sentence for people, if the database is at fault; otherwise the error itself. An error of
 * a file, a port or a setting is not about the database, and says so itself.
 */
export function forPeople(error: unknown, { engine }: { engine: 'sqlite' | 'postgres' }): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error
  if (engine === 'sqlite') {
    const reason = hasErrcode(error) ? systemReason(error) : undefined
    return reason === undefined ? error : new StoreError(`The database cannot be used: ${reason}.`, { cause: error })
  }
  const why = isOfFiles(error) ? undefined : whyPostgresFails(error)
  return why === undefined ? error : new StoreError(`PostgreSQL cannot be used: ${why}`, { cause: error })
}

const hasErrcode = (error: unknown): boolean =>
  error instanceof Error && ('errcode' in error || hasErrcode(error.cause))

/** True for an error of a system call that has nothing to do with a connection. */
const isOfFiles = (error: unknown): boolean =>
  error instanceof Error &&
  (('syscall' in error && !/^(connect|read|write|getaddrinfo)$/.test(String(error.syscall))) || isOfFiles(error.cause))
