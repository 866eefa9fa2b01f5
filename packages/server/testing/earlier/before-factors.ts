/**
 * Opens the data that commit 7fd1c9e1 wrote, the last one without disabled accounts and second factors, migrated to
 * this version.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../src/platform/db/open.ts'
import { type EarlierEngine, earlierFile, openEarlier } from './restored.ts'

const folder = join(import.meta.dirname, 'before-factors')

interface Kept {
  /** When the data was written, in Unix milliseconds. */
  madeAt: number
  /** The content of the file `secret`. */
  secret: string
  /** The password of Ada, an admin of the workspace north, and of its members Bob and Cy. */
  password: string
  /** The cookies of a session of Ada, who signed in with the password, and of Bob, who came by a link. */
  cookies: { ada: string; bob: string }
  /** Links that nobody used: one that signs Ada in, and one that hands Cy's account over. */
  links: { sign_in: string; claim: string }
  /** The link of an invitation by Ada for dan@example.org to become an admin. */
  invitation: string
}

export const keptBeforeFactors = (engine: EarlierEngine): Kept =>
  JSON.parse(readFileSync(join(folder, `${engine}.json`), 'utf8')) as Kept

/** Writes the data of the embedded database, as that commit left it, and returns its path. */
export const fileBeforeFactors = (): string => earlierFile('before-factors')

/** Opens the data with this version's tables. */
export const openBeforeFactors = (engine: EarlierEngine): Promise<Store> =>
  openEarlier('before-factors', engine, keptBeforeFactors(engine).madeAt)
