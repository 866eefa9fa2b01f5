/**
 * Restores a backup: a copy of it is checked and prepared, and then takes the place of the database, which is kept in
 * another folder. Tokens, sessions and links that ended since the backup would become valid again, so agents get new
 * tokens, all sessions end, and unused links are void (D2). The replaced database shows what else ended since the
 * backup (D79).
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Verdict } from '@svc/protocol'
import { accountTables } from '../../people/accounts/auth.ts'
import { databaseFile, giveFilesToOwner, secretFile, writeSecret } from '../../platform/data-folder.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openEmbedded } from '../../platform/db/open.ts'
import { messageOf } from '../../platform/errors.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { type Access, accessInFile } from './access.ts'
import { syncFile } from './backup.ts'
import { type NewAgentToken, renewAccess } from './renew.ts'
import { type RevivedNames, revivedBy } from './revived.ts'
import { endedSince } from './since.ts'

/** The result of a restore, which the command shows. */
export interface RestoreFacts {
  file: string
  /** The time of the backup in Unix milliseconds. */
  from: number
  version: string
  /** The folder in which the database that was replaced is kept; null if there was none. */
  replaced: string | null
  agents: NewAgentToken[]
  /** The names of the people and objects that the restore brought back; null if they are not known. */
  revived: RevivedNames | null
  /** The reason why `revived` is null, worded as part of a sentence about the replaced data; null if it is known. */
  unknown: string | null
}
type RestoreRefusal = 'file_unknown' | 'no_backup' | 'backup_damaged' | 'agent_unknown'

/**
 * Restores a backup; only the holder of the folder's lock may call it. `tokensOf` names the agents that get new tokens;
 * undefined means all of them.
 */
export async function restoreBackup(
  dataDir: string,
  file: string,
  tokensOf: string[] | undefined,
  now: number,
): Promise<Verdict<RestoreFacts, RestoreRefusal>> {
  if (!existsSync(file)) return refuse('file_unknown', `There is no file ${file}.`)
  const copy = join(dataDir, 'restoring.db')
  const sweep = () => {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(copy + part, { force: true })
    rmSync(`${secretFile(dataDir)}.restoring`, { force: true })
  }
  sweep()
  try {
    copyFileSync(file, copy)
    chmodSync(copy, 0o600)
    const held = takeBackupRow(copy, file)
    if (!held.ok) return held
    const { secret, at, version } = held.value
    const later = existsSync(databaseFile(dataDir)) ? accessInFile(databaseFile(dataDir)) : 'it is missing'
    const prepared = await prepare(copy, { tokensOf, from: at, later, now })
    if (!prepared.ok) return prepared
    const replaced = putInPlace(dataDir, copy, secret, now)
    return { ok: true, value: { file, from: at, version, replaced, ...prepared.value } }
  } finally {
    sweep()
  }
}

const sqliteFull = 13

/**
 * Checks the copy of the backup before it is restored. Reads the table `svc_backup`, which contains the secret key of
 * the service, and removes that table from the copy.
 */
function takeBackupRow(
  copy: string,
  file: string,
): Verdict<{ secret: string; at: number; version: string }, RestoreRefusal> {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(copy)
    const held = db.prepare("select name from sqlite_master where type = 'table' and name = 'svc_backup'").get()
    if (!held) return refuse('no_backup', `${file} is a database, but not a backup made by svc-server.`)
    const wrong = db.prepare('pragma quick_check(1)').get()
    if (wrong?.quick_check !== 'ok') return refuse('backup_damaged', `${file} is damaged: ${wrong?.quick_check}`)
    const row = db.prepare('select secret, at, version from svc_backup').get()
    db.exec('pragma secure_delete = on; drop table svc_backup')
    return { ok: true, value: { secret: String(row?.secret), at: Number(row?.at), version: String(row?.version) } }
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteFull) throw error
    return refuse('no_backup', `${file} is not a backup made by svc-server, or it is damaged: ${messageOf(error)}`)
  } finally {
    db?.close()
  }
}

interface Preparation {
  tokensOf: string[] | undefined
  from: number
  /** The access in the data that is replaced, or the reason why it could not be read. */
  later: Access | string
  now: number
}

/** Migrates the copy of the backup to this version and ends access that must not become valid again. */
async function prepare(copy: string, { later, ...renewal }: Preparation) {
  const store = openEmbedded(copy)
  try {
    await migrate(store, accountTables(store))
    const backup = accessInFile(copy)
    if (typeof backup === 'string') throw new Error(backup)
    const compared = typeof later === 'string' ? later : endedSince(backup, later)
    const [since, unknown] = typeof compared === 'string' ? [undefined, compared] : [compared, null]
    const renewed = await renewAccess(store.db, { ...renewal, since })
    if (!renewed.ok) return renewed
    return done({ agents: renewed.value, revived: since ? revivedBy(since) : null, unknown })
  } finally {
    await store.close()
  }
}

function putInPlace(dataDir: string, copy: string, secret: string, now: number): string | null {
  const database = databaseFile(dataDir)
  // Everything that needs space is done before the first file is moved, so that a full disk leaves the data unchanged.
  syncFile(copy)
  const prepared = `${secretFile(dataDir)}.restoring`
  writeSecret(prepared, secret)
  const replaced = existsSync(database)
    ? join(dataDir, `replaced-${new Date(now).toISOString().replace(/[:.]/g, '-')}`)
    : null
  if (replaced !== null) {
    mkdirSync(replaced, { mode: 0o700 })
    for (const part of ['', '-wal', '-shm'])
      if (existsSync(database + part)) renameSync(database + part, join(replaced, `svc.db${part}`))
    if (existsSync(secretFile(dataDir))) renameSync(secretFile(dataDir), join(replaced, 'secret'))
  }
  renameSync(prepared, secretFile(dataDir))
  giveFilesToOwner(dataDir)
  renameSync(copy, database)
  syncFile(dataDir)
  return replaced
}
