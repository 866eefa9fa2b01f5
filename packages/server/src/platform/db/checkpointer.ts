/**
 * The worker thread that checkpoints.ts starts: it copies the write-ahead log into the database file whenever the log
 * contains enough new pages.
 */
import { fdatasyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const everyMs = 100
/**
 * The maximum number of times that this thread copies pages before it notifies the writing connection. Without a
 * maximum, copying would not end while the writing connection adds pages as fast as this thread copies them.
 */
const maxPasses = 4

const { file, fd, from } = workerData as { file: string; fd: number; from: number }
/** If at most this number of pages are left to copy, this thread leaves them to the writing connection. */
const fewPages = from / 8
const db = new DatabaseSync(file, { timeout: 0 })
db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0')
const passive = db.prepare('pragma wal_checkpoint(passive)')
const noop = db.prepare('pragma wal_checkpoint(noop)')

/** The number of pages in the write-ahead log that are not in the database file yet. */
function left(): number {
  const { log, checkpointed } = noop.get() as { log: number; checkpointed: number }
  return log - checkpointed
}

function check(): void {
  if (left() < from) return
  for (let passes = 0; passes < maxPasses && left() > fewPages; passes++) {
    passive.get()
    // Syncs the database file in this thread. Otherwise SQLite would sync it in the main thread, when the writing
    // connection copies the last page.
    fdatasyncSync(fd)
  }
  parentPort?.postMessage('few are left')
}

const timer = setInterval(check, everyMs)
parentPort?.once('message', () => {
  clearInterval(timer)
  db.close()
})
