/** Opens the data that commit 00f060ec wrote, the last one without sign-in providers, migrated to this version. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd } from '../../../../testing/cleaning.ts'
import { secretFile } from '../../src/platform/data-folder.ts'
import type { Store } from '../../src/platform/db/open.ts'
import type { KeptPasskey } from '../passkeys.ts'
import { type EarlierEngine, openEarlier } from './restored.ts'

interface Kept {
  /** When the data was written, in Unix milliseconds. */
  madeAt: number
  /** The content of the file `secret`. */
  secret: string
  /** The password of all people: Ann, an admin of the workspace north, and its members Bob and Cy. */
  password: string
  /** The secret of Ann's authenticator app. */
  app: string
  recovery: string[]
  /**
   * The cookies of sessions: Ann's, in which she added the app and a passkey; Bob's, which began with a passkey; and
   * one of Cy, who has no factor and whose address is confirmed.
   */
  sessions: Record<'ann' | 'bob' | 'cy', string>
  /** The passkeys, each with its private key. Bob's counts its uses. */
  passkeys: Record<'ann' | 'bob', KeptPasskey>
}

export const keptBeforeOidc = (engine: EarlierEngine): Kept =>
  JSON.parse(readFileSync(join(import.meta.dirname, `before-oidc/${engine}.json`), 'utf8')) as Kept

/** Opens the data with this version's tables, and makes a data folder with its file `secret`. */
export async function openBeforeOidc(engine: EarlierEngine): Promise<{ postgres: Store; dataDir: string }> {
  const { secret, madeAt } = keptBeforeOidc(engine)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-before-oidc-'))
  atFileEnd.push(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(secretFile(dataDir), secret)
  return { postgres: await openEarlier('before-oidc', engine, madeAt), dataDir }
}
