/**
 * Copies SQLite's write-ahead log into the database file. Copying takes a tenth of a second on a common disk, so a
 * thread with a separate connection does it (checkpointer.ts). The writing connection copies only the last few pages,
 * between two transactions: the log can start from its beginning again only while nobody writes.
 */
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { threadFile } from '../installed.ts'
import type { Store } from './open.ts'

/**
 * The number of pages in the log at which the writing connection copies the log itself, because the thread is too slow.
 */
const maxPages = 16_000

export interface Checkpoints {
  /**
   * Stops the copying. Must be called before the store is closed, because closing the store copies the rest of the log.
   */
  close(): Promise<void>
}

export function startCheckpoints(
  { db, sqlite }: Extract<Store, { engine: 'sqlite' }>,
  file: string,
  failed: (error: unknown) => void,
): Checkpoints {
  // The descriptor stays open until the process ends, because closing any descriptor of the file would release the
  // locks of all connections of this process.
  const fd = openSync(file, 'r')
  const usual = Number(Object.values(sqlite.prepare('pragma wal_autocheckpoint').get() ?? {})[0])
  const worker = new Worker(threadFile('checkpointer'), { workerData: { file, fd, from: usual } })
  worker.unref()
  const exited = once(worker, 'exit').catch(() => {})
  sqlite.exec(`pragma wal_autocheckpoint = ${maxPages}`)
  const passive = sqlite.prepare('pragma wal_checkpoint(passive)')
  let closed = false
  worker.on('message', () => {
    db.connection()
      .execute(async () => {
        if (!closed) passive.get()
      })
      .catch(failed)
  })
  worker.on('error', (error) => {
    failed(error)
    if (!closed) sqlite.exec(`pragma wal_autocheckpoint = ${usual}`)
  })
  return {
    async close() {
      closed = true
      worker.ref()
      worker.postMessage('end')
      await exited
    },
  }
}
