/** Explains an error that ends a start: says whether the database or the data folder caused it, and why. */
import { accessSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError, notYours } from './data-folder.ts'
import { StoreError } from './db/error.ts'
import { whyPostgresFails } from './db/reasons.ts'
import { ConfigError, systemReason } from './errors.ts'

/**
 * If the database caused the error, returns an error with a sentence for people; otherwise returns the error itself.
 */
export function explainStartError(error: unknown, { engine }: { engine: 'sqlite' | 'postgres' }): unknown {
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

/** True for an error of a system call that is about a file and not about a connection. */
const isOfFiles = (error: unknown): boolean =>
  error instanceof Error &&
  (('syscall' in error && !/^(connect|read|write|getaddrinfo)$/.test(String(error.syscall))) || isOfFiles(error.cause))

/**
 * If a system error prevents the opening of the data folder, returns an error with a sentence for people, which names
 * the folder, or a file in it that this user may not use. Any other error is returned as it is.
 */
export function explainFolderError(error: unknown, dataDir: string): unknown {
  const says = [StoreError, DataFolderError, ConfigError].some((kind) => error instanceof kind)
  const reason = says ? undefined : systemReason(error)
  if (reason === undefined) return error
  const file = inaccessible(dataDir)
  const message = file === undefined ? `The data folder ${dataDir} cannot be used: ${reason}.` : notYours(file)
  return new DataFolderError(message, { cause: error })
}

/** The names of the service's own files. Other files, such as `lost+found`, do not prevent a start. */
const ownFiles = /^(svc\.|secret$|mark\.json$|operator\.sock$|uploads$)/

/** The first of the service's own files in the folder that this user may not read and write. */
function inaccessible(folder: string): string | undefined {
  const isClosed = (path: string) => {
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
      return false
    } catch {
      return true
    }
  }
  try {
    return readdirSync(folder)
      .filter((name) => ownFiles.test(name))
      .map((name) => join(folder, name))
      .find(isClosed)
  } catch {
    return undefined // the folder itself cannot be read, and the error says why
  }
}
