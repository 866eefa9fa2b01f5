/** The thread of checkpoints.ts: copies what stands in the log into the file, whenever enough has come together. */
import { fdatasyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const everyMs = 100
/** After so many passes it is told all the same: it writes as fast as we copy. */
const maxPasses = 4

const { file, fd, from } = workerData as { file: string; fd: number; from: number }
/** Pages that may be left to the connection that writes; more come in while a pass is under way. */
const few = from / 8
const db = new DatabaseSync(file, { timeout: 0 })
db.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0')
const passive = db.prepare('pragma wal_checkpoint(passive)')
const noop = db.prepare('pragma wal_checkpoint(noop)')

/** Pages of the log that are not in the file yet. */
function left(): number {
  const { log, checkpointed } = noop.get() as { log: number; checkpointed: number }
  return log - checkpointed
}

function look(): void {
  if (left() < from) return
  for (let passes = 0; passes < maxPasses && left() > few; passes++) {
    passive.get()
    // SQLite syncs the file with the last page of the log, and would do so in the other thread.
    fdatasyncSync(fd)
  }
  parentPort?.postMessage('few are left')
}

const timer = setInterval(look, everyMs)
parentPort?.once('message', () => {
  clearInterval(timer)
  db.close()
})
