import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { reporting } from '../../testing/reporting.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
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

  test('of an earlier build of 0.2.0 lose what alerts knew about reports, and the next report stores it again', async () => {
    const store = await open()
    await migrate(store, accountTables(store))
    const w = await newTestWorkspace(store)
    const { decide } = reporting(w)
    const full = { gauges: [{ name: 'disk', used: 9, mark: 8 }] }
    await decide(full)
    const signs = async () => [
      (await sql<{ signs: string | null }>`select signs from agent`.execute(store.db)).rows[0]?.signs,
      (await sql<{ signs: string | null }>`select signs from agent_report`.execute(store.db)).rows[0]?.signs,
    ]
    expect(await signs()).toEqual([null, '{"gauges":["disk"]}'])

    await sql`alter table agent_report drop column signs`.execute(store.db)
    await sql`update agent set signs = ${'{"gauges":["disk"]}'}`.execute(store.db)
    await sql`delete from kysely_migration where name >= '014'`.execute(store.db)
    await migrate(store, accountTables(store))
    expect(await signs()).toEqual([null, null])
    await store.close()
  })
})
