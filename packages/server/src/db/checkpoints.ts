/**
 * What is committed stands in the log first, and is copied into the file from time to time: thousands of pages all over it, then a sync, a tenth of a second
 * on a common disk. That is the work of a thread with a connection of its own (checkpointer.ts), so that nothing waits for it but the disk.
 * Only the last few pages are copied here, between two transactions, since the log begins anew only when nobody writes meanwhile.
 */
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Store } from './open.ts'

/** Pages in the log at which this connection does it all, because the thread does not keep up. */
const maxPages = 16_000

export interface Checkpoints {
  /** Before the store is closed; what is left in the log is copied then. */
  close(): Promise<void>
}

export function startCheckpoints(
  { db, sqlite }: Extract<Store, { engine: 'sqlite' }>,
  file: string,
  failed: (error: unknown) => void,
): Checkpoints {
  // Open until the process ends: to close any descriptor of the file releases the locks of all connections of this process.
  const fd = openSync(file, 'r')
  const usual = Number(Object.values(sqlite.prepare('pragma wal_autocheckpoint').get() ?? {})[0])
  const worker = new Worker(new URL('./checkpointer.ts', import.meta.url), { workerData: { file, fd, from: usual } })
  worker.unref()
  const gone = once(worker, 'exit').catch(() => {})
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
      await gone
    },
  }
}
