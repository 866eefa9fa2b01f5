import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { startCheckpoints } from './checkpoints.ts'
import { openEmbedded } from './open.ts'

const waits = { seconds: 30, everyMs: 20 }

/** Opens an SQLite store. Its write-ahead log is copied into the database file as soon as the log has 200 pages. */
function open() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-checkpoints-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'svc.db')
  const store = openEmbedded(file)
  if (store.engine !== 'sqlite') throw new Error('The embedded engine is another one.')
  const { sqlite } = store
  sqlite.exec('pragma wal_autocheckpoint = 200; create table thing (n integer, body text)')
  const noop = sqlite.prepare('pragma wal_checkpoint(noop)')
  const put = sqlite.prepare('insert into thing values (?, ?)')
  return {
    folder,
    file,
    store,
    log: () => noop.get() as { log: number; checkpointed: number },
    autocheckpoint: () => sqlite.prepare('pragma wal_autocheckpoint').get(),
    /** Writes about `pages` pages of data in one transaction. */
    write(pages: number) {
      sqlite.exec('begin')
      for (let n = 0; n < pages; n++) put.run(n, 'x'.repeat(4000))
      sqlite.exec('commit')
    },
  }
}
const failed = (error: unknown) => {
  throw error
}

test('commits are copied into the file by another thread, and the log starts from its beginning again', async () => {
  const { file, store, log, write } = open()
  const checkpoints = startCheckpoints(store, file, failed)
  write(150)
  write(150)
  await eventually('the whole log is in the file', () => expect(log().checkpointed).toBe(log().log), waits)
  const before = log().log
  expect(before).toBeGreaterThanOrEqual(300)
  write(1)
  expect(log().log).toBeLessThan(10)
  await checkpoints.close()
  await store.close()
})

test('while writes continue without a pause the log starts from its beginning again and again, and nothing is lost', {
  timeout: 180_000,
}, async () => {
  const { file, store, log, write } = open()
  const checkpoints = startCheckpoints(store, file, failed)
  const pages = 20
  // The disk and the machine decide how far the log grows before it starts again, so the writes go on until it has.
  let [rounds, restarts, before] = [0, 0, 0]
  for (; restarts < 3 || rounds < 500; rounds++) {
    await store.db.connection().execute(async () => write(pages))
    // The service also waits for the disk after it has committed a batch of reports.
    await store.log.sync()
    const now = log().log
    if (now < before) restarts++
    before = now
    await setImmediate()
  }
  await checkpoints.close()
  await store.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
  const again = new DatabaseSync(file)
  expect(again.prepare('select count(*) as n from thing').get()).toEqual({ n: rounds * pages })
  expect(again.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  again.close()
})

test('if the thread fails, the writing connection copies the log in parts', async () => {
  const { folder, store, autocheckpoint, write, log } = open()
  const other = join(folder, 'other')
  writeFileSync(other, 'x'.repeat(5000))
  const errors: unknown[] = []
  const checkpoints = startCheckpoints(store, other, (error) => errors.push(error))
  await eventually('the failure is told', () => expect(String(errors[0])).toMatch(/not a database/), waits)
  expect(autocheckpoint()).toEqual({ wal_autocheckpoint: 200 })
  write(300)
  expect(log().checkpointed).toBe(log().log)
  await checkpoints.close()
  await store.close()
})
