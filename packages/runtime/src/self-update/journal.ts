/**
 * What the runtime notes of its attempts, `.svc/journal/self-update.json`: written before each, so that one that ends the runtime with it is
 * not tried for ever, and so that nobody swaps the agent's version meanwhile (D31).
 */
import { number, object, oneOf } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { filled, type Noted, note, words, yes } from '../files/note.ts'

const attempt = filled(
  object(
    {
      /** `swapping`: the launcher was asked. `ended`: with an outcome, or the wish was taken back. */
      is: oneOf(['trying', 'swapping', 'ended']),
      wish: words,
      /** When it began, or ended: Unix ms. */
      at: number(),
      /** How often it was begun in a row without an end. */
      begun: number(),
      /** An answer came that wished for it no more. */
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
