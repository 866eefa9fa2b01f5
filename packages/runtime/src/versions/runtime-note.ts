/**
 * The note about the runtime's own file, `.svc/runtime/runtime.json`, written only by the launcher or by the holder of
 * the folder's `runtime` lock. A version that a person pinned is in a separate file (`pinned`), since it may change at
 * any time.
 */
import { either, number, object, oneOf } from '@svc/protocol/fields'
import { createFolder } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { filled, type Noted, note, words } from '../files/note.ts'
import { applied, release } from './release.ts'

/** The two files of a swap. `from` is the one before, which is kept as the previous file. */
const swapped = { from: release, to: release }

const tried = filled(
  object(
    {
      is: oneOf(['trying', 'kept']),
      ...swapped,
      /** The number of starts of the new file. Each is noted before it is made. */
      starts: number(),
      /**
       * `began` is when the current five minutes of the trial started, in Unix milliseconds; `processes` is the number
       * of processes that were given such minutes.
       */
      began: number(),
      processes: number(),
    },
    'is',
    'from',
    'to',
  ),
  { starts: 0, began: 0, processes: 0 },
)
const undone = filled(object({ is: oneOf(['undoing']), ...swapped, reason: words, at: number() }, 'is', 'from', 'to'), {
  reason: '',
  at: 0,
})
const trial = either(tried, undone)
export type Trial = Noted<typeof trial>

/**
 * A hold on a version of the runtime. It also ends when the file is replaced; `running` is the checksum of the file
 * that ran when the hold began.
 */
const hold = filled(object({ version: words, reason: words, running: words }, 'version'), { reason: '', running: '' })
export type RuntimeHold = Noted<typeof hold>

/**
 * The note about the runtime's own file. If all its parts are absent, nothing is on trial, and the runtime will not
 * roll itself back.
 */
const runtimeNote = object({ trial, applied, hold })
export type RuntimeNote = Noted<typeof runtimeNote>

const file = note('runtimeNote', runtimeNote, 65_536)

export function writeRuntimeNote(folder: Pick<Folder, 'runtimeFolder' | 'runtimeNote'>, value: RuntimeNote): void {
  createFolder(folder.runtimeFolder)
  file.write(folder, value)
}

/** Reads the note about the runtime's own file; empty if there is no readable note. */
export const readRuntimeNote = (folder: Pick<Folder, 'runtimeNote'>): RuntimeNote => file.read(folder) ?? {}

/** True if a new runtime is on trial and was not kept yet, or is being rolled back (D31). */
export const onTrial = (folder: Pick<Folder, 'runtimeNote'>): boolean => {
  const { trial } = readRuntimeNote(folder)
  return trial !== undefined && trial.is !== 'kept'
}
