import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { newPostgresDatabase } from '../../testing/stores.ts'
import { accountTables } from '../people/auth.ts'
import { migrate } from './migrate.ts'
import { openEmbedded, openPostgres, type Store } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

/** Each engine with a function that opens an empty database. */
const engines: [string, () => Promise<Store>][] = [
  ['SQLite', async () => openEmbedded(join(folder, `${files++}.db`))],
  ['PostgreSQL', async () => openPostgres(await newPostgresDatabase({ empty: true }))],
]

describe.each(engines)('the tables (%s)', (_, open) => {
  test('are created next to those of another program, and a second start does not change them', async () => {
    const store = await open()
    await sql`create table something_else (id integer)`.execute(store.db)
    await migrate(store, accountTables(store))
    await store.db.insertInto('agreed').values({ name: 'a', value: 'b' }).execute()
    await migrate(store, accountTables(store))
    expect(await store.db.selectFrom('agreed').select('value').where('name', '=', 'a').execute()).toEqual([
      { value: 'b' },
    ])
    await store.close()
  })

  test('of a newer version are not changed, and the error says so', async () => {
    const store = await open()
    await migrate(store, accountTables(store))
    await sql`insert into kysely_migration (name, timestamp) values ('999-later', '2027-01-01')`.execute(store.db)
    await expect(migrate(store, accountTables(store))).rejects.toThrow(
      'The database was upgraded by a newer version (999-later)',
    )
    await store.close()
  })
})
