/** Replaces the crontab of this user through the program `crontab`, and only if it is still the expected one. */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../machine/base/refusal.ts'
import { createFolder, writeDurably } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { listCrontab } from '../jobs/crontab-program.ts'

/** The table as it was before svc changed it. It stays when the agent is removed. */
export const keptTable = ({ state }: Pick<Folder, 'state'>): string => join(state, 'crontab.before')

type Table =
  | { readonly ok: true; readonly text: string }
  /** `why` is the end of a sentence that begins with the crontab. */
  | { readonly ok: false; readonly why: string }

/** Reads the table. A table that is not UTF-8 could not be written back as it was, so it is not read. */
export async function readTable(): Promise<Table> {
  const listed = await listCrontab()
  if (listed.is === 'failed') return { ok: false, why: `cannot be read: "crontab -l" ${listed.why}` }
  const text = listed.bytes.toString('utf8')
  return Buffer.from(text).equals(listed.bytes)
    ? { ok: true, text }
    : { ok: false, why: 'is not UTF-8, so svc does not change it. Convert it with iconv, and try again' }
}

/**
 * Replaces the table `expected` by `next`. Nothing is written if somebody has changed the table meanwhile. Afterwards
 * the table is read again and compared.
 */
export async function replaceTable(
  folder: Folder,
  { expected, next }: { expected: string; next: string },
): Promise<void> {
  const now = await readTable()
  if (!now.ok) throw new Refusal(`The crontab ${now.why}. It was not changed.`)
  if (now.text !== expected)
    throw new Refusal('Somebody has changed the crontab meanwhile, so nothing was written into it. Try again.')
  createFolder(folder.state)
  writeDurably(keptTable(folder), expected, 0o600)
  const file = join(folder.state, 'crontab.new')
  const kept = `The table before is in ${keptTable(folder)}.`
  try {
    writeDurably(file, next, 0o600)
    const fault = await crontab(file)
    if (fault !== undefined) throw new Refusal(`The program crontab refused the new table: ${fault}. ${kept}`)
  } finally {
    rmSync(file, { force: true })
  }
  const after = await readTable()
  if (!after.ok || after.text !== next)
    throw new Refusal(`The crontab is not the one that was written. Look at it with "crontab -l". ${kept}`)
}

/** Gives a table to the program `crontab`. Resolves to what is wrong, or to undefined. */
const crontab = (file: string): Promise<string | undefined> =>
  new Promise((done) => {
    execFile('crontab', [file], { timeout: 10_000, killSignal: 'SIGKILL' }, (error, _out, err) =>
      done(error ? reason(error, err) : undefined),
    )
  })

const reason = (error: { killed?: boolean; message: string }, err: string): string =>
  error.killed ? 'it did not end within 10 s' : (err.trim() || error.message).split('\n').join('; ').replace(/\.$/, '')
