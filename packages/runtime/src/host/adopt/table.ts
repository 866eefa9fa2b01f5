/** Replaces the crontab of this user through the program `crontab`, and only if it is still the expected one. */
import { execFile } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../machine/base/errors.ts'
import { createFolder, writeDurably } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { listCrontab } from '../jobs/crontab-program.ts'

const backupName = 'crontab.before'
const backupInState = ({ state }: Pick<Folder, 'state'>): string => join(state, backupName)

/**
 * The path of the backup: the crontab as it was before the last change by svc. Command lines may hold passwords, so the
 * backup is in `.svc`, where the service cannot request it as a log. After the agent is removed, it is in `state`.
 */
export const crontabBackup = (folder: Pick<Folder, 'svc' | 'state'>): string =>
  existsSync(folder.svc) ? join(folder.svc, backupName) : backupInState(folder)

/** Moves a backup in `state` into `.svc`. It is from an earlier version of svc, or from an agent that was removed. */
export function hideCrontabBackup(folder: Pick<Folder, 'svc' | 'state'>): void {
  if (existsSync(folder.svc) && existsSync(backupInState(folder)))
    renameSync(backupInState(folder), crontabBackup(folder))
}

/** Moves the backup to `state`, since `.svc` is about to be removed. */
export function showCrontabBackup(folder: Pick<Folder, 'svc' | 'state'>): void {
  if (!existsSync(join(folder.svc, backupName))) return
  createFolder(folder.state)
  renameSync(join(folder.svc, backupName), backupInState(folder))
}

/** True if svc may have changed the crontab: a backup was written before the change. */
export const hasChangedTable = (folder: Pick<Folder, 'svc' | 'state'>): boolean =>
  existsSync(crontabBackup(folder)) || existsSync(backupInState(folder))

/** The encoding of a table that was read. Latin-1 stands for bytes that are not UTF-8, and keeps each of them. */
type TextEncoding = 'utf8' | 'latin1'
type Table =
  | { readonly ok: true; readonly text: string; readonly coding: TextEncoding }
  /** `why` completes a sentence that begins with "The crontab". */
  | { readonly ok: false; readonly why: string }

/**
 * Reads the table. A table that is not UTF-8 is refused unless `any` is true, since svc cannot wrap lines in it.
 * Putting lines back works with any table.
 */
export async function readTable({ any = false } = {}): Promise<Table> {
  const listed = await listCrontab()
  if (listed.is === 'failed') return { ok: false, why: `cannot be read: "crontab -l" ${listed.why}` }
  const text = listed.bytes.toString('utf8')
  if (Buffer.from(text).equals(listed.bytes)) return { ok: true, text, coding: 'utf8' }
  return any
    ? { ok: true, text: listed.bytes.toString('latin1'), coding: 'latin1' }
    : { ok: false, why: 'is not UTF-8, so svc does not change it. Convert it with iconv, and try again' }
}

/**
 * Replaces the table `expected` by `next`. Nothing is written if somebody has changed the table meanwhile. Afterwards
 * the table is read again and compared.
 */
export async function replaceTable(
  folder: Folder,
  { expected, next, coding = 'utf8' }: { expected: string; next: string; coding?: TextEncoding },
): Promise<void> {
  const table = await readTable({ any: true })
  if (!table.ok) throw new Refusal(`The crontab ${table.why}. It was not changed.`)
  if (table.text !== expected)
    throw new Refusal('Somebody has changed the crontab meanwhile, so nothing was written into it. Try again.')
  createFolder(folder.state)
  hideCrontabBackup(folder)
  writeDurably(crontabBackup(folder), Buffer.from(expected, coding), 0o600)
  const file = `${crontabBackup(folder)}.new`
  const where = `The table before is in ${crontabBackup(folder)}.`
  try {
    writeDurably(file, Buffer.from(next, coding), 0o600)
    const fault = await crontab(file)
    if (fault !== undefined) throw new Refusal(`The program crontab refused the new table: ${fault}. ${where}`)
  } finally {
    rmSync(file, { force: true })
  }
  const after = await readTable({ any: true })
  if (!after.ok || after.text !== next)
    throw new Refusal(`The crontab is not the one that was written. Look at it with "crontab -l". ${where}`)
}

/** Gives a table to the program `crontab`. Resolves to an error message, or to undefined if the table was accepted. */
const crontab = (file: string): Promise<string | undefined> =>
  new Promise((done) => {
    execFile('crontab', [file], { timeout: 10_000, killSignal: 'SIGKILL' }, (error, _out, err) =>
      done(error ? failureText(error, err) : undefined),
    )
  })

const failureText = (error: { killed?: boolean; message: string }, err: string): string =>
  error.killed ? 'it did not end within 10 s' : (err.trim() || error.message).split('\n').join('; ').replace(/\.$/, '')
