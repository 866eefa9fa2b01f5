import { afterEach, expect, test } from 'vitest'
import { reporting } from '../../../../testing/reporting.ts'
import { openTestSqlite } from '../../../../testing/stores.ts'
import { newTestWorkspace } from '../../../../testing/test-workspace.ts'
import type { Store } from '../../../platform/db/open.ts'

type SqliteStore = Extract<Store, { engine: 'sqlite' }>

const opened: Store[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function open() {
  const store = (await openTestSqlite()) as SqliteStore
  opened.push(store)
  const { decide } = reporting(await newTestWorkspace(store))
  const runs = async () =>
    Number(
      (
        await store.db
          .selectFrom('run')
          .select((e) => e.fn.countAll().as('n'))
          .executeTakeFirst()
      )?.n,
    )
  return { store, decide, runs }
}

const manyRuns = { runs: Array.from({ length: 2000 }, (_, i) => ({ id: `run-${i}`, started: 1_790_000_000 + i })) }

test('a report with thousands of runs is stored in several turns, and nobody sees a part of it', async () => {
  const { store, decide, runs } = await open()
  const report = decide(manyRuns)
  while (!store.sqlite.isTransaction) await new Promise(setImmediate)
  let turns = 0
  const seen: Promise<number>[] = []
  while (store.sqlite.isTransaction) {
    turns++
    seen.push(runs())
    await new Promise(setImmediate)
  }
  expect(await report).toMatchObject({ ok: true })
  expect(turns).toBeGreaterThanOrEqual(2)
  expect(await Promise.all(seen)).toEqual(seen.map(() => 2000))
})

test('a report that fails in a later turn leaves nothing', async () => {
  const { store, decide, runs } = await open()
  store.sqlite.exec(`create trigger full before insert on run when (select count(*) from run) = 1500
    begin select raise(abort, 'the disk is full'); end`)
  await expect(decide(manyRuns)).rejects.toThrow('the disk is full')
  expect([store.sqlite.isTransaction, await runs()]).toEqual([false, 0])
  store.sqlite.exec('drop trigger full')
  expect(await decide(manyRuns)).toMatchObject({ ok: true })
  expect(await runs()).toBe(2000)
})
