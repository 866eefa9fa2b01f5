/** Opens the data that commit f3e51fdc wrote, the last one without passkeys, migrated to this version. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd } from '../../../../testing/cleaning.ts'
import { secretFile } from '../../src/platform/data-folder.ts'
import type { Store } from '../../src/platform/db/open.ts'
import { type EarlierEngine, openEarlier } from './restored.ts'

interface Kept {
  /** When the data was written, in Unix milliseconds. */
  madeAt: number
  /** The content of the file `secret`. */
  secret: string
  /** The password of Ann, an admin of the workspace north with an authenticator app, and of its member Bob. */
  password: string
  /** The cookie of the session in which Ann added the app. */
  cookie: string
  /** The secret of the app. */
  app: string
  recovery: string[]
}

export const keptBeforePasskeys = (engine: EarlierEngine): Kept =>
  JSON.parse(readFileSync(join(import.meta.dirname, `before-passkeys/${engine}.json`), 'utf8')) as Kept

/** Opens the data with this version's tables, and makes a data folder with its file `secret`. */
export async function openBeforePasskeys(engine: EarlierEngine): Promise<{ postgres: Store; dataDir: string }> {
  const { secret, madeAt } = keptBeforePasskeys(engine)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-before-passkeys-'))
  atFileEnd.push(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(secretFile(dataDir), secret)
  return { postgres: await openEarlier('before-passkeys', engine, madeAt), dataDir }
}
