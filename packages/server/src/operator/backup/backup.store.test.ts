import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atFileEnd } from '../../../../../testing/cleaning.ts'
import { testConfig } from '../../../testing/service.ts'
import { closing, openTestSqlite } from '../../../testing/stores.ts'
import { secretOf } from '../../platform/data-folder.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { writeBackup } from './backup.ts'

const open = closing(openTestSqlite)
const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
secretOf(folder)
atFileEnd.push(() => rmSync(folder, { recursive: true, force: true }))

const backUp = (store: Store, file: string) =>
  writeBackup({ store, config: testConfig({ dataDir: folder }) }, file, Date.now())

const write = (db: Db, from: number) =>
  db
    .insertInto('service_away')
    .values({ from_at: from, until_at: from + 1 })
    .execute()

/** The number of rows that a backup has. */
function rowsIn(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare('select count(*) as rows from service_away').get()?.rows
  } finally {
    db.close()
  }
}

test('a backup that starts while a transaction writes has all of it', async () => {
  const store = await open()
  const written = transaction(store.db, async (trx) => {
    await write(trx, 1)
    await sleep(100)
    await write(trx, 2)
  })
  await sleep(10)
  const file = join(folder, 'during')
  expect(await backUp(store, file)).toMatchObject({ ok: true })
  await written
  expect(rowsIn(file)).toBe(2)
})

test('a transaction that writes during a backup is in it completely or not at all', async () => {
  const store = await open()
  let ended = false
  let committed = 0
  const writing = (async () => {
    while (!ended) {
      await transaction(store.db, async (trx) => {
        for (const offset of [1, 2, 3]) {
          await write(trx, 10 * committed + offset)
          await sleep(1)
        }
      })
      committed++
    }
  })()
  for (const name of ['a', 'b', 'c']) {
    const before = committed
    expect(await backUp(store, join(folder, name))).toMatchObject({ ok: true })
    const rows = Number(rowsIn(join(folder, name)))
    expect(rows % 3).toBe(0)
    expect(rows).toBeGreaterThanOrEqual(3 * before)
  }
  ended = true
  await writing
})
