/**
 * A person's request on this machine, `.svc/update-ask.json`: `svc rollback`, `svc unhold` and `svc unwatch` write it
 * for a running runtime (D58). It names the version that ran, so that a request that arrives late cannot affect another
 * version. The runtime writes its answer into the journal of updates, with the id of the request.
 */
import { number, object, oneOf } from '@svc/protocol/fields'
import { messageOf } from '../../machine/base/errors.ts'
import { removeDurably } from '../../machine/files/durable.ts'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue } from '../../machine/files/note.ts'
import { dropPreparedLink, hasVersion, prepareCurrentLink } from '../../state/versions/folders.ts'
import type { UpdateStepResult } from './change.ts'
import type { Update } from './journal.ts'

const asked = object(
  {
    id: anyText,
    what: oneOf(['rollback', 'unhold', 'unwatch']),
    /** The version that ran when the request was made. */
    running: anyText,
    /** Who made the request, such as `on this machine by ann`. */
    by: anyText,
    /** When the request was made, in Unix milliseconds. */
    at: number(),
  },
  'id',
  'what',
  'running',
  'by',
  'at',
)
export type AskedUpdate = NoteValue<typeof asked>
type AskPath = Pick<Folder, 'updateAsk'>

/**
 * The milliseconds for which the command that makes a request waits for the answer. The runtime ignores a request that
 * is older.
 */
export const patienceMs = 60_000

const file = describeNote('updateAsk', asked, 65_536)

export function askForUpdate(folder: Folder, asked: AskedUpdate): void {
  createFolders(folder)
  file.write(folder, asked)
}

export function readAskedUpdate(paths: AskPath): AskedUpdate | undefined {
  const asked = file.read(paths)
  return asked && Math.abs(Date.now() - asked.at) < patienceMs ? asked : undefined
}

export const dropAsked = ({ updateAsk }: AskPath): boolean => removeDurably(updateAsk)

/**
 * Handles a new request of a person. If the request changes the update, returns the event that does so. Otherwise notes
 * the answer with the id of the request, so that the command that made the request can show the answer.
 */
export function answerAsked(
  folder: Folder,
  update: Update,
  save: (update: Update) => unknown,
  say: (line: string) => void,
): UpdateStepResult | undefined {
  const asked = readAskedUpdate(folder)
  if (!asked || asked.id === update.asked?.id) return undefined
  try {
    dropAsked(folder)
  } catch (error) {
    say(`the request of a person here could not be removed: ${messageOf(error)}`)
  }
  if (asked.what === 'unhold') {
    const { hold: _, retry: __, ...rest } = update
    save({ ...rest, rollbacks: [], asked: { id: asked.id, ok: true, message: 'No version is on hold now.' } })
    return undefined
  }
  if (asked.what === 'unwatch') {
    const result = judgeAskedUnwatch(update, asked)
    if (result.event === 'over') return result
    save({ ...update, asked: { id: asked.id, ok: false, message: result.why ?? '' } })
    return undefined
  }
  const result = withRoom(folder, update, judgeAskedRollback(folder, update, asked), say)
  if (result.event !== 'asked') {
    save({ ...update, asked: { id: asked.id, ok: false, message: result.why ?? '' } })
    return undefined
  }
  return result
}

/** Refuses a rollback if the disk has no room now, so that it does not happen unexpectedly later. */
function withRoom(
  folder: Folder,
  { to, running, previous }: Update,
  result: UpdateStepResult,
  say: (line: string) => void,
): UpdateStepResult {
  const back = to ? running : previous
  if (result.event !== 'asked' || !back) return result
  try {
    prepareCurrentLink(folder, back.sha256)
    return result
  } catch (error) {
    dropPreparedLink(folder)
    const why = messageOf(error)
    say(`nothing was rolled back: ${why}`)
    return { event: 'dropped', why }
  }
}

/**
 * The event `asked` if there is a version to roll back to and the version to leave is still the one that the request
 * names; otherwise `dropped` with the reason.
 */
export function judgeAskedRollback(
  folder: Folder,
  update: Update,
  { id, running, by }: Omit<AskedUpdate, 'what' | 'at'>,
): UpdateStepResult {
  const leaves = update.to ?? update.running
  const back = update.to ? update.running : update.previous
  const no = (why: string): UpdateStepResult => ({ event: 'dropped', why })
  if (leaves.version !== running) return no(`${running} is no longer running: ${leaves.version} does.`)
  if (!back || !hasVersion(folder, back.sha256))
    return no(`There is no previous version before ${running} on this machine.`)
  const message = `${running} -> ${back.version}: rolled back. ${running} is on hold.`
  return { event: 'asked', why: `rolled back ${by}`, asked: { id, ok: true, message } }
}

/** The event `over` if the version that the request names is being watched; otherwise `dropped` with the reason. */
export function judgeAskedUnwatch(
  update: Update,
  { id, running }: Pick<AskedUpdate, 'id' | 'running'>,
): UpdateStepResult {
  if (update.state !== 'watching' || update.running.version !== running)
    return { event: 'dropped', why: `${running} is not being watched.` }
  return { event: 'over', asked: { id, ok: true, message: `${running} is no longer watched.` } }
}
