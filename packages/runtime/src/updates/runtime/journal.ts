/**
 * The runtime's note about its attempts, `.svc/journal/self-update.json`. It is written before each attempt, so that an
 * attempt that crashes the runtime is not repeated forever, and so that the agent's version is not swapped during an
 * attempt (D31).
 */
import { number, object, oneOf } from '@svc/protocol/fields'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue, trueField, withDefaults } from '../../machine/files/note.ts'

const attempt = withDefaults(
  object(
    {
      /** `swapping`: the launcher was asked to swap. `ended`: the attempt has an outcome, or the wish was withdrawn. */
      is: oneOf(['trying', 'swapping', 'ended']),
      wish: anyText,
      /** When the attempt started or ended, in Unix milliseconds. */
      at: number(),
      /** The number of consecutive starts of this attempt that did not reach an end. */
      begun: number(),
      /** True once an answer of the service after the attempt did not wish the attempt's version. */
      closed: trueField,
    },
    'is',
    'wish',
  ),
  { at: 0, begun: 0 },
)
export type AttemptNote = NoteValue<typeof attempt>

const file = describeNote('selfUpdate', attempt, 65_536)

export function writeAttempt(folder: Folder, note: AttemptNote): void {
  createFolders(folder)
  file.write(folder, note)
}

export const readAttempt = (folder: Pick<Folder, 'selfUpdate'>): AttemptNote | undefined => file.read(folder)
