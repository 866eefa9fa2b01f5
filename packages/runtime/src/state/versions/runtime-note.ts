/**
 * The note `.svc/runtime/runtime.json`, in which the runtime records the trial of its own new file, the last outcome
 * and a hold. Only the launcher or the holder of the folder's `runtime` lock writes it. The version to which a person
 * pinned the runtime is in a separate file (`pinned`), since a person may change it at any time.
 */
import { either, number, object, oneOf } from '@svc/protocol/fields'
import { createFolder } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue, withDefaults } from '../../machine/files/note.ts'
import { applied, versionRef } from './version-ref.ts'

/**
 * The runtime before a swap of its file (`from`) and after it (`to`). The file of `from` is kept as the previous file.
 */
const swapFields = { from: versionRef, to: versionRef }

const tried = withDefaults(
  object(
    {
      is: oneOf(['trying', 'kept']),
      ...swapFields,
      /** The number of starts of the new file. It is increased before each start. */
      starts: number(),
      /**
       * `began` is when the current five minutes of the trial started, in Unix milliseconds. `processes` is the number
       * of processes of the launcher in which the trial has run; the second one gets five minutes again (D38).
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
const undone = withDefaults(
  object({ is: oneOf(['undoing']), ...swapFields, reason: anyText, at: number() }, 'is', 'from', 'to'),
  {
    reason: '',
    at: 0,
  },
)
const trial = either(tried, undone)
/** The trial of a new file of the runtime, as the note describes it. */
export type Trial = NoteValue<typeof trial>

/**
 * A hold on a version of the runtime. `running` is the checksum of the runtime's file when the hold began; once another
 * file is in place, the hold ends.
 */
const hold = withDefaults(object({ version: anyText, reason: anyText, running: anyText }, 'version'), {
  reason: '',
  running: '',
})
export type RuntimeHold = NoteValue<typeof hold>

/** The content of the note about the runtime's own file. Without `trial`, the runtime does not roll itself back. */
const runtimeNote = object({ trial, applied, hold })
export type RuntimeNote = NoteValue<typeof runtimeNote>

const file = describeNote('runtimeNote', runtimeNote, 65_536)

export function writeRuntimeNote(folder: Pick<Folder, 'runtimeFolder' | 'runtimeNote'>, value: RuntimeNote): void {
  createFolder(folder.runtimeFolder)
  file.write(folder, value)
}

/** Reads the note about the runtime's own file; empty if there is no readable note. */
export const readRuntimeNote = (folder: Pick<Folder, 'runtimeNote'>): RuntimeNote => file.read(folder) ?? {}

/** True if a new runtime is on trial and was not kept yet, or is being rolled back (D31). */
export const isOnTrial = (folder: Pick<Folder, 'runtimeNote'>): boolean => {
  const { trial } = readRuntimeNote(folder)
  return trial !== undefined && trial.is !== 'kept'
}
