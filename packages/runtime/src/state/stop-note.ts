/** Notes who stopped the runtime on this machine, for `svc why` and for the last report of the runtime (D66). */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isAhead, type StoppedBy } from '@svc/protocol'
import { writeDurably } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { readJsonObject } from '../machine/files/read.ts'
import { isDiskFault } from '../machine/files/space.ts'
import { type Author, changedBy, readAuthor } from './changes.ts'

const fileOf = (folder: Folder) => join(folder.journal, 'stopped.json')

/** Notes who stops the runtime. If the disk refuses the note, the runtime is stopped anyway. */
export function noteStop(folder: Folder, author: Author): void {
  try {
    createFolders(folder)
    writeDurably(fileOf(folder), `${JSON.stringify(author)}\n`, undefined, 'stop')
  } catch (error) {
    if (!isDiskFault(error)) throw error
  }
}

/** The sentence about the stop in a last report. */
export const stopSentence = (by: StoppedBy, author: Author | undefined): string =>
  by === 'signal'
    ? 'Stopped by a signal, from a service manager or a shutdown.'
    : `Stopped ${author ? changedBy(author) : 'on its machine'}.`

/**
 * Decides who ends this runtime (D66): a person for SIGINT, and for SIGTERM if a command called `noteStop` shortly
 * before; otherwise a service manager or a shutdown. `began` is the start of this runtime in Unix milliseconds.
 */
export function stopperOf(folder: Folder, signal: NodeJS.Signals, began: number, now: number): StoppedBy {
  if (signal === 'SIGINT') return 'person'
  const noted = statSync(fileOf(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return signal === 'SIGTERM' && noted >= began && isAhead(noted + notedMs, now, notedMs) ? 'person' : 'signal'
}

/** The maximum milliseconds between the note of a stop and the signal that the note explains. */
const notedMs = 30_000

/** Who last stopped the runtime, and when. */
export const readStop = (folder: Folder): Author | undefined => readAuthor(readJsonObject(fileOf(folder), 4096))
