import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newPostgresDatabase, onEveryEngine, openTestSqlite } from '../../../testing/stores.ts'
import { openPostgres } from '../../platform/db/open.ts'
import { healthOf } from './health.ts'

onEveryEngine('health', (open) => {
  test('a database that accepts writes is healthy', async () => {
    expect(await healthOf(await open(), Date.now)()).toEqual({ ok: true })
  })
  test('a database that cannot be reached is not healthy', async () => {
    const store = await open()
    expect(await healthOf(store, Date.now)()).toEqual({ ok: true })
    await store.close()
    expect(await healthOf(store, Date.now)()).toMatchObject({ ok: false })
  })
})

test('an embedded database that accepts no writes is not healthy', async () => {
  const store = await openTestSqlite()
  await sql`pragma query_only = on`.execute(store.db)
  expect(await healthOf(store, Date.now)()).toEqual({ ok: false, message: expect.stringContaining('takes no writes') })
  await store.close()
})

test('a PostgreSQL that is a read-only copy is not healthy', async () => {
  const url = new URL((await newPostgresDatabase()).replace('@/', '@localhost/'))
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const store = openPostgres(url.href.replace('@localhost/', '@/'))
  expect(await healthOf(store, Date.now)()).toEqual({ ok: false, message: expect.stringContaining('read-only') })
  await store.close()
})
