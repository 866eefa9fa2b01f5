/**
 * A person's request on this machine, `.svc/update-ask.json`: `svc rollback` and `svc unhold` write it for a running
 * runtime (D58). It names the version that a rollback must leave, so that a request that arrives late cannot affect
 * another version. The runtime writes its answer into the journal of updates, with the id of the request.
 */
import { number, object, oneOf } from '@svc/protocol/fields'
import { removeDurably } from '../../machine/files/durable.ts'
import { type Folder, prepare } from '../../machine/files/folder.ts'
import { type Noted, note, words } from '../../machine/files/note.ts'

const asked = object(
  {
    id: words,
    what: oneOf(['rollback', 'unhold']),
    /** The version that ran when the request was made. */
    running: words,
    /** Who made the request, such as `on this machine by ann`. */
    by: words,
    /** When the request was made, in Unix milliseconds. */
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

/**
 * How many milliseconds the command that makes a request waits for the answer. The runtime ignores a request that is
 * older.
 */
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
