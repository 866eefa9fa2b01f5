import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { newPostgresDatabase } from '../stores.ts'

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
