/**
 * The note about the runtime's own file, `.svc/runtime/runtime.json`. The launcher alone writes it, or whoever holds the folder's
 * `runtime` lock; a copy that a person pinned is a file of its own (`pinned`), since it is written at any time.
 */
import { either, number, object, oneOf } from '@svc/protocol/fields'
import { createFolder } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { filled, type Noted, note, words } from '../files/note.ts'
import { applied, release } from './release.ts'

/** `from`: what ran before and is kept as the previous file. */
const swapped = { from: release, to: release }

const tried = filled(
  object(
    {
      is: oneOf(['trying', 'kept']),
      ...swapped,
      /** Starts of the new file, each noted before it is made. */
      starts: number(),
      /** When the present five minutes began, Unix ms, and how many processes of ours had some. */
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

/** It ends when the file is replaced, too. `running`: the checksum of the file that ran when it began. */
const hold = filled(object({ version: words, reason: words, running: words }, 'version'), { reason: '', running: '' })
export type RuntimeHold = Noted<typeof hold>

/** What is known of the runtime's own file; all of it absent: nothing is on trial, and nobody can go back by himself. */
const runtimeNote = object({ trial, applied, hold })
export type RuntimeNote = Noted<typeof runtimeNote>

const file = note('runtimeNote', runtimeNote, 65_536)

export function writeRuntimeNote(folder: Pick<Folder, 'runtimeFolder' | 'runtimeNote'>, value: RuntimeNote): void {
  createFolder(folder.runtimeFolder)
  file.write(folder, value)
}

/** Empty when there is none, or none that can be read. */
export const readRuntimeNote = (folder: Pick<Folder, 'runtimeNote'>): RuntimeNote => file.read(folder) ?? {}

/** D31: whether a new runtime is on trial. One that reported is not any more. */
export const onTrial = (folder: Pick<Folder, 'runtimeNote'>): boolean => {
  const { trial } = readRuntimeNote(folder)
  return trial !== undefined && trial.is !== 'kept'
}
