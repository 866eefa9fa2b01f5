/**
 * A person's request on this machine, `.svc/update-ask.json`, with which `svc rollback` asks a running runtime (D58).
 * It names the version to leave, so that a late request cannot affect another one. The answer is in the update's
 * journal under the request's id.
 */
import { number, object, oneOf } from '@svc/protocol/fields'
import { removeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { type Noted, note, words } from '../files/note.ts'

const asked = object(
  {
    id: words,
    what: oneOf(['rollback', 'unhold']),
    /** The version that ran when it was asked. */
    running: words,
    /** Such as `on this machine by ann`. */
    by: words,
    /** Unix milliseconds. */
    at: number(),
  },
  'id',
  'what',
  'running',
  'by',
  'at',
)
export type AskedUpdate = Noted<typeof asked>
type AskPath = Pick<Folder, 'updateAsk'>

/** The time in milliseconds that the person who asked waits. */
export const patienceMs = 60_000

const file = note('updateAsk', asked, 65_536)

export function ask(folder: Folder, asked: AskedUpdate): void {
  prepare(folder)
  file.write(folder, asked)
}

export function readAsked(place: AskPath): AskedUpdate | undefined {
  const asked = file.read(place)
  return asked && Math.abs(Date.now() - asked.at) < patienceMs ? asked : undefined
}

export const dropAsked = ({ updateAsk }: AskPath): boolean => removeDurably(updateAsk)
