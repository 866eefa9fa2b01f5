/**
 * A person's wish on this machine, `.svc/update-ask.json`: how `svc rollback` asks a runtime that runs (D58). It names the version
 * that is to be left, so that one that comes late cannot mean another; what came of it stands in the update's journal under its id.
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
    /** `on this machine by ann` */
    by: words,
    /** Unix ms. */
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

/** Who asked waits no longer than this. */
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
