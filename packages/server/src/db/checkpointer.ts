/**
 * The thread of checkpoints.ts: copies the write-ahead log into the database file whenever enough pages have collected.
 */
import { fdatasyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const everyMs = 100
/**
 * The maximum number of times that this thread copies pages before it notifies the writing connection, even if more
 * pages are left. After that many, the writing connection writes as fast as this thread copies.
 */
const maxPasses = 4

const { file, fd, from } = workerData as { file: string; fd: number; from: number }
/** The number of uncopied pages at which this thread leaves the rest to the writing connection. */
const few = from / 8
const db = new DatabaseSync(file, { timeout: 0 })
db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0')
const passive = db.prepare('pragma wal_checkpoint(passive)')
const noop = db.prepare('pragma wal_checkpoint(noop)')

/** The number of pages in the write-ahead log that are not in the database file yet. */
function left(): number {
  const { log, checkpointed } = noop.get() as { log: number; checkpointed: number }
  return log - checkpointed
}

function look(): void {
  if (left() < from) return
  for (let passes = 0; passes < maxPasses && left() > few; passes++) {
    passive.get()
    // Syncs the log here. Otherwise SQLite would do it in the main thread, when that copies the last page.
    fdatasyncSync(fd)
  }
  parentPort?.postMessage('few are left')
}

const timer = setInterval(look, everyMs)
parentPort?.once('message', () => {
  clearInterval(timer)
  db.close()
})
