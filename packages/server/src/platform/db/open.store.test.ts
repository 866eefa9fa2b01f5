import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../../../testing/stores.ts'
import { openEmbedded, openPostgres } from './open.ts'

test('a PostgreSQL database that is refused before its first query keeps no connection', async () => {
  const store = openPostgres(await newPostgresDatabase({ empty: true }))
  if (store.engine !== 'postgres') throw new Error('unreachable')
  const client = await store.pool.connect()
  client.release()
  expect(store.pool.totalCount).toBe(1)
  await store.close()
  expect([store.pool.ended, store.pool.totalCount]).toEqual([true, 0])
  await store.close()
})

test('an embedded database without any query is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-open-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = openEmbedded(join(folder, 'svc.db'))
  if (store.engine !== 'sqlite') throw new Error('unreachable')
  await store.close()
  expect(store.sqlite.isOpen).toBe(false)
  await store.close()
})

test('a statement that was prepared before a migration returns the columns that the migration adds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-open-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = openEmbedded(join(folder, 'svc.db'))
  if (store.engine !== 'sqlite') throw new Error('unreachable')
  const { sqlite, db } = store
  onTestFinished(() => store.close())
  sqlite.exec('create table agent (id text); insert into agent values (1)')
  const all = () => db.selectFrom('agent').selectAll().execute()
  expect(await all()).toEqual([{ id: '1' }])
  sqlite.exec("alter table agent add column name text default 'a'")
  expect(await all()).toEqual([{ id: '1', name: 'a' }])
})
