/**
 * Opens the data that commit 7fd1c9e1 wrote, the last one without disabled accounts and second factors, migrated to
 * this version.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { atFileEnd } from '../../../../testing/cleaning.ts'
import { accountTables } from '../../src/people/accounts/auth.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openEmbedded, openPostgres, type Store } from '../../src/platform/db/open.ts'
import { restored, unpacked } from './restored.ts'

const folder = join(import.meta.dirname, 'before-factors')

type Engine = 'sqlite' | 'postgres'
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

export const keptBeforeFactors = (engine: Engine): Kept =>
  JSON.parse(readFileSync(join(folder, `${engine}.json`), 'utf8')) as Kept

/** Writes the data of the embedded database, as that commit left it, and returns its path. */
export function fileBeforeFactors(): string {
  const place = mkdtempSync(join(tmpdir(), 'svc-before-factors-'))
  atFileEnd.push(() => rmSync(place, { recursive: true, force: true }))
  writeFileSync(join(place, 'svc.db'), unpacked('before-factors/svc.db.gz'))
  return join(place, 'svc.db')
}

/**
 * Opens the data with this version's tables. Sessions and links are as old as they were when the data was written,
 * since they end some time after they were made.
 */
export async function openBeforeFactors(engine: Engine): Promise<Store> {
  const store =
    engine === 'sqlite'
      ? openEmbedded(fileBeforeFactors())
      : openPostgres(await restored('before-factors/postgres.sql.gz'))
  await migrate(store, accountTables(store))
  const later = Date.now() - keptBeforeFactors(engine).madeAt
  const columns = [
    ['session', 'expiresAt'],
    ['session', 'createdAt'],
    ['session', 'updatedAt'],
    ['invitation', 'expiresAt'],
  ] as const
  for (const [table, column] of columns) {
    const at = sql.ref(column)
    const shifted =
      engine === 'sqlite'
        ? sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, ${`+${later / 1000} seconds`})`
        : sql`${at} + ${`${later} milliseconds`}::interval`
    await sql`update ${sql.table(table)} set ${at} = ${shifted}`.execute(store.db)
  }
  await sql`update link set expires_at = expires_at + ${sql.lit(later)}`.execute(store.db)
  return store
}
