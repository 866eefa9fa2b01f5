/**
 * The runtime's notes about its attempts, `.svc/journal/self-update.json`. They are written before each attempt, so
 * that one that takes the runtime down is not tried forever, and so that the agent's version is not swapped meanwhile
 * (D31).
 */
import { number, object, oneOf } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { filled, type Noted, note, words, yes } from '../files/note.ts'

const attempt = filled(
  object(
    {
      /** `swapping`: the launcher was asked. `ended`: there is an outcome, or the wish was withdrawn. */
      is: oneOf(['trying', 'swapping', 'ended']),
      wish: words,
      /** When it started or ended, in Unix milliseconds. */
      at: number(),
      /** The number of consecutive starts without an end. */
      begun: number(),
      /** True once an answer came that no longer wished for it. */
      closed: yes,
    },
    'is',
    'wish',
  ),
  { at: 0, begun: 0 },
)
export type AttemptNote = Noted<typeof attempt>

const file = note('selfUpdate', attempt, 65_536)

export function writeAttempt(folder: Folder, note: AttemptNote): void {
  prepare(folder)
  file.write(folder, note)
}

export const readAttempt = (folder: Pick<Folder, 'selfUpdate'>): AttemptNote | undefined => file.read(folder)
