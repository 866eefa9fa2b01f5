/**
 * A backup is one SQLite file: the embedded database at one moment, and in an extra table the secret that signs
 * cookies, which is kept outside the database. The file is written under a temporary name and synced before it gets its
 * own name; an existing file is never replaced.
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Verdict } from '@svc/protocol'
import type { Config } from '../../platform/base.ts'
import { secretOf } from '../../platform/data-folder.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { isCode, messageOf, systemReason } from '../../platform/errors.ts'
import { refuse } from '../../platform/verdict.ts'

interface BackupMade {
  file: string
  bytes: number
  /** When the backup was made, in Unix milliseconds. */
  at: number
  version: string
  /** The reason why the service could not note the time of this backup; missing if it could. */
  unrecorded?: string
}
type BackupRefusal = 'engine_other' | 'file_exists' | 'folder_unknown' | 'file_unwritable'

/**
 * Writes a backup; the service may run meanwhile. A change that is committed during the backup is in the backup
 * completely or not at all.
 */
export async function writeBackup(
  { store, config }: { store: Store; config: Config },
  file: string,
  now: number,
): Promise<Verdict<BackupMade, BackupRefusal>> {
  if (store.engine !== 'sqlite') return refuse('engine_other', postgresRefusal)
  if (existsSync(file)) return refuse('file_exists', `${file} already exists. Name a new file.`)
  if (!existsSync(dirname(file))) return refuse('folder_unknown', `There is no folder ${dirname(file)}.`)
  const beside = `${file}.${process.pid}.tmp`
  try {
    closeSync(openSync(beside, 'wx', 0o600))
  } catch (error) {
    return refuse(
      'file_unwritable',
      `${file} cannot be written: ${systemReason(error) ?? messageOf(error)}. A running service writes the file as its own user.`,
    )
  }
  try {
    await copyOnline(store, beside)
    addSecretAndMark(beside, { secret: secretOf(config.dataDir), at: now, version: config.version })
    syncFile(beside)
    linkSync(beside, file)
    syncFile(dirname(file))
  } catch (error) {
    if (isCode(error, 'EEXIST')) return refuse('file_exists', `${file} already exists. Name a new file.`)
    const reason = systemReason(error)
    if (reason === undefined) throw error
    return refuse('file_unwritable', `${file} could not be written: ${reason}. No file was left behind.`)
  } finally {
    rmSync(beside, { force: true })
    rmSync(`${beside}-journal`, { force: true })
  }
  const bytes = statSync(file).size
  const unrecorded = await recordBackup(store.db, now, bytes).then(() => undefined, systemReason)
  const made = { file, bytes, at: now, version: config.version }
  return { ok: true, value: { ...made, ...(unrecorded !== undefined && { unrecorded }) } }
}

/**
 * Copies the database while the service uses it. SQLite refuses the first step of a copy while a transaction writes on
 * the same connection, so that step has the connection for itself; a later step waits until the transaction has ended.
 */
async function copyOnline({ db, sqlite }: Extract<Store, { engine: 'sqlite' }>, file: string): Promise<void> {
  let copied: Promise<unknown> | undefined
  await db.connection().execute(
    () =>
      new Promise<void>((resolve) => {
        copied = backup(sqlite, file, { progress: () => resolve() })
        copied.then(
          () => resolve(),
          () => resolve(),
        )
      }),
  )
  await copied
}

/** Records the time of this backup, so that an alert can open when the last backup is old. */
async function recordBackup(db: Db, at: number, bytes: number): Promise<void> {
  await db
    .insertInto('service_backup')
    .values({ id: 1, at, bytes })
    .onConflict((oc) => oc.column('id').doUpdateSet({ at, bytes }))
    .execute()
}

const postgresRefusal =
  'This service keeps its data in PostgreSQL. Back it up with pg_dump, and keep the file "secret" of the data folder. After restoring such a dump, run: svc-server restore --tokens-only'

function addSecretAndMark(file: string, beside: { secret: string; at: number; version: string }): void {
  const db = new DatabaseSync(file)
  try {
    db.exec('pragma journal_mode = delete; create table svc_backup (secret text, at integer, version text)')
    db.prepare('insert into svc_backup values (?, ?, ?)').run(beside.secret, beside.at, beside.version)
  } finally {
    db.close()
  }
}

/** Waits until the contents of a file are on the disk. */
export function syncFile(path: string): void {
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
