/**
 * The thread of checkpoints.ts: copies the write-ahead log into the database file whenever enough pages have collected.
 */
import { fdatasyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const everyMs = 100
/**
 * After this many passes the writing connection is notified even if more are left, because it writes as fast as this
 * thread copies.
 */
const maxPasses = 4

const { file, fd, from } = workerData as { file: string; fd: number; from: number }
/** The number of pages that may be left to the writing connection. More arrive during each pass. */
const few = from / 8
const db = new DatabaseSync(file, { timeout: 0 })
db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0')
const passive = db.prepare('pragma wal_checkpoint(passive)')
const noop = db.prepare('pragma wal_checkpoint(noop)')

/** The number of pages in the log that are not in the file yet. */
function left(): number {
  const { log, checkpointed } = noop.get() as { log: number; checkpointed: number }
  return log - checkpointed
}

function look(): void {
  if (left() < from) return
  for (let passes = 0; passes < maxPasses && left() > few; passes++) {
    passive.get()
    // SQLite syncs the file with the last page of the log, and would otherwise do so in the other thread.
    fdatasyncSync(fd)
  }
  parentPort?.postMessage('few are left')
}

const timer = setInterval(look, everyMs)
parentPort?.once('message', () => {
  clearInterval(timer)
  db.close()
})
