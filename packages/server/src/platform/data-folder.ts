/**
 * The data folder (0700): the embedded database, the secret that signs cookies (0600), the lock by which one process
 * owns them, and `operator.sock`.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isCode, messageOf } from './errors.ts'

const minSecret = 32

export const databaseFile = (dataDir: string): string => join(dataDir, 'svc.db')
export const secretFile = (dataDir: string): string => join(dataDir, 'secret')

/** A problem of the data folder that the operator must fix; the message says how. */
export class DataFolderError extends Error {}

export function createDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    chmodSync(dataDir, 0o700)
  } catch (cause) {
    const why = foreignFolderText(ownerOf(dataDir), process.getuid?.()) ?? messageOf(cause)
    throw new DataFolderError(`The data folder ${dataDir} cannot be used: ${why}`, { cause })
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined // there is no folder, or it cannot be reached
  }
}

/**
 * The sentence about a folder that belongs to another user than `user`; undefined if it does not, or if `user` is root.
 */
export const foreignFolderText = (owner: number | undefined, user: number | undefined): string | undefined =>
  owner === undefined || user === undefined || user === 0 || owner === user
    ? undefined
    : `it belongs to user id ${owner}, and this is user id ${user}. Run the service as the owner of the folder, or give the folder and its files to this user (chown -R ${user}).`

/**
 * The secret of the service, which signs people's cookies and from which the keys that encrypt stored secrets are
 * derived. A missing secret is created.
 */
export function secretOf(dataDir: string): string {
  const file = secretFile(dataDir)
  const secret = readIfThere(file) ?? createSecret(file)
  giveFilesToOwner(dataDir)
  if (secret.length < minSecret) {
    throw new DataFolderError(
      `${file} must hold at least ${minSecret} characters: it has ${secret.length}. Restore it from a backup, or remove it: a new one is then created and everyone must sign in again.`,
    )
  }
  chmodSync(file, 0o600)
  return secret
}

/**
 * Writes a new secret to a temporary file, then links this file under the name of the secret's file. A secret that
 * another process has just created is never replaced.
 */
function createSecret(file: string): string {
  try {
    writeSecret(`${file}.${process.pid}.tmp`, randomBytes(48).toString('base64url'))
    linkSync(`${file}.${process.pid}.tmp`, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(`${file}.${process.pid}.tmp`, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}

export function writeSecret(file: string, secret: string): void {
  writeSynced(file, `${secret}\n`)
}

/** The lock by which one process owns a data folder. */
export interface FolderLock {
  release(): void
}

/**
 * Locks the folder for this process; undefined if another process (or another service in this one) has the lock. The
 * lock is SQLite's lock on an empty database, so it ends with the process, however that ends.
 */
export function lockFolder(dataDir: string): FolderLock | undefined {
  const db = new DatabaseSync(join(dataDir, 'svc.lock'), { timeout: 0 })
  try {
    db.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    db.close()
    if (error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === sqliteBusy) return undefined
    throw error
  }
  chmodSync(join(dataDir, 'svc.lock'), 0o600)
  try {
    writeSynced(join(dataDir, 'svc.pid'), `${process.pid}\n`)
  } catch {
    // The file only lets messages of other processes name this one, so a full disk must not keep the service from
    // starting.
  }
  return {
    release: () => {
      rmSync(join(dataDir, 'svc.pid'), { force: true })
      giveFilesToOwner(dataDir)
      db.close()
    },
  }
}

const sqliteBusy = 5

/**
 * Makes the folder's owner the owner of files that root created in it, because the service runs as the folder's owner.
 * Files in subfolders are left out, since the owner could replace a subfolder by a link while root works. They need no
 * change: they were only moved there.
 */
export function giveFilesToOwner(dataDir: string): void {
  const { uid, gid } = statSync(dataDir)
  if (process.getuid?.() !== 0 || uid === 0) return
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    const made = lstatSync(path, { throwIfNoEntry: false })
    if (made?.uid === 0 && (made.isDirectory() || made.nlink === 1)) lchownSync(path, uid, gid)
  }
}

/**
 * The path of the file that marks the data as moved to PostgreSQL, so that nobody continues with an embedded database
 * here by mistake.
 */
export const movedFile = (dataDir: string): string => join(dataDir, 'moved')

/** Marks the data of this folder as moved to the PostgreSQL at `to`. */
export function noteMoved(dataDir: string, to: string): void {
  writeSynced(movedFile(dataDir), `${to}\n`)
}

/** Throws if the data of this folder was moved to PostgreSQL. */
export function refuseMoved(dataDir: string): void {
  const to = readIfThere(movedFile(dataDir))
  if (to === undefined) return
  throw new DataFolderError(
    `The data of ${dataDir} was moved to ${to}. Set SVC_DATABASE_URL. To return to the embedded database and lose everything since, move svc.db back from the folder moved-… and remove the file ${movedFile(dataDir)}.`,
  )
}

const unknownHolder = 'another process'

/**
 * The process that holds the lock of the data folder, in words for people: `process 4711`. The file `svc.pid` may be
 * left over from a process that was killed, so a process that is gone is not named.
 */
export const holderOf = (dataDir: string): string => {
  const pid = Number(readIfThere(join(dataDir, 'svc.pid')))
  return pid > 0 && isProcess(pid) ? `process ${pid}` : unknownHolder
}

/**
 * The refusal of a data folder whose lock another process keeps. The error is the same on a file system without locks.
 */
export function folderInUse(dataDir: string): DataFolderError {
  const holder = holderOf(dataDir)
  const maybe =
    holder === unknownHolder
      ? ' If no other process uses it, its file system has no locks, as some network file systems: keep the data on a disk of this machine.'
      : ''
  return new DataFolderError(
    `The data folder ${dataDir} is in use by ${holder}. Stop it, or name another folder with SVC_DATA_DIR.${maybe}`,
  )
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/** Writes a whole file and syncs it, or throws. `writeSync` alone may write a part when the disk becomes full. */
function writeSynced(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flush: true })
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    if (isCode(error, 'EACCES')) throw new DataFolderError(notYours(file))
    throw error
  }
}

/** The message for a file that this user is not allowed to open. */
export const notYours = (file: string): string =>
  `${file} is not accessible to this user. Run this as the user of the service, or as root.`
