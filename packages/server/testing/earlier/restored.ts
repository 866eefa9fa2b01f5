import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { atFileEnd } from '../../../../testing/cleaning.ts'
import { accountTables } from '../../src/people/accounts/auth.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openEmbedded, openPostgres, type Store } from '../../src/platform/db/open.ts'
import { newPostgresDatabase } from '../stores.ts'

export type EarlierEngine = 'sqlite' | 'postgres'

/** Reads a file of this folder that is packed with gzip. */
export const unpacked = (name: string): Buffer => gunzipSync(readFileSync(join(import.meta.dirname, name)))

/** Makes a PostgreSQL database from a dump of this folder, and returns its address. */
export async function restored(dump: string): Promise<string> {
  const url = await newPostgresDatabase({ empty: true })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Lines of the dump that start with a backslash are commands for psql, and the database would refuse them.
    await client.query(
      unpacked(dump)
        .toString()
        .replaceAll(/^\\.*$/gm, ''),
    )
  } finally {
    await client.end()
  }
  return url
}

/** Writes the embedded database of this folder, as its commit left it, and returns its path. */
export function earlierFile(folder: string): string {
  const place = mkdtempSync(join(tmpdir(), `svc-${folder}-`))
  atFileEnd.push(() => rmSync(place, { recursive: true, force: true }))
  writeFileSync(join(place, 'svc.db'), unpacked(`${folder}/svc.db.gz`))
  return join(place, 'svc.db')
}

/**
 * Opens the data of this folder with this version's tables. Sessions and links are as old as they were at `madeAt`,
 * when the data was written, since they end some time after they were made.
 */
export async function openEarlier(folder: string, engine: EarlierEngine, madeAt: number): Promise<Store> {
  const store =
    engine === 'sqlite' ? openEmbedded(earlierFile(folder)) : openPostgres(await restored(`${folder}/postgres.sql.gz`))
  await migrate(store, accountTables(store))
  const later = Date.now() - madeAt
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
