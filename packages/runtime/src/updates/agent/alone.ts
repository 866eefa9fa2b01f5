/**
 * Rolls back, lifts the holds or ends a watch, while no runtime runs. The caller holds the folder's lock and does what
 * the runtime would do. Neither the service nor a network is needed.
 */
import { readScale } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { isDiskFault } from '../../machine/files/space.ts'
import {
  currentVersionFolder,
  dropPreparedLink,
  linkCurrentTo,
  prepareCurrentLink,
  versionFolderName,
} from '../../state/versions/folders.ts'
import { type AskedUpdate, judgeAskedRollback, judgeAskedUnwatch } from './ask.ts'
import { updateAfterStep } from './change.ts'
import { readUpdate, type Update, unreadableJournal, writeUpdate } from './journal.ts'
import { stateAtStart } from './start.ts'

/**
 * The state of the update that a start of the runtime would find now. `version` is the version that the manifest in
 * place names.
 */
export function updateOnDisk(folder: Folder, version: string): Update {
  const why = unreadableJournal(folder)
  if (why !== undefined) throw new Error(`Nothing was changed, because ${why}.`)
  return stateAtStart(readUpdate(folder), { version, sha256: currentVersionFolder(folder) ?? '' }, { at: Date.now() })
}

/**
 * Rolls back to the previous version. Returns the state of the update afterwards, or a message that says why a rollback
 * is not possible.
 */
export function rollbackAlone(
  folder: Folder,
  version: string,
  asked: Omit<AskedUpdate, 'what' | 'at'>,
): { readonly ok: false; readonly message: string } | { readonly ok: true; readonly update: Update } {
  const how = { at: Date.now(), scale: readScale(process.env.SVC_TIME_SCALE) }
  const onDisk = updateOnDisk(folder, version)
  const result = onDisk.state === 'undoing' ? undefined : judgeAskedRollback(folder, onDisk, asked)
  if (result && result.event !== 'asked') return { ok: false, message: result.why ?? '' }
  // Without a result, an earlier rollback was interrupted, and `onDisk` already describes it.
  const undoing = result ? updateAfterStep(onDisk, result, how) : onDisk
  begun(folder, undoing)
  if (currentVersionFolder(folder) !== versionFolderName(undoing.running.sha256))
    linkCurrentTo(folder, undoing.running.sha256)
  const update = updateAfterStep(undoing, { event: 'done' }, how)
  try {
    writeUpdate(folder, update)
  } catch (error) {
    // The previous version is in place, but the note does not say so. The next start corrects the note.
    if (!isDiskFault(error)) throw error
  }
  return { ok: true, update }
}

/** Writes to the journal that a rollback begins. Throws if the disk has no room, and then nothing has changed. */
function begun(folder: Folder, undoing: Update): void {
  try {
    prepareCurrentLink(folder, undoing.running.sha256)
    writeUpdate(folder, undoing)
  } catch (error) {
    dropPreparedLink(folder)
    throw error
  }
}

/** Lifts the hold, the wait before a retry, and the limit of three rollbacks in a day (D25, D29). */
export function unholdAlone(folder: Folder, version: string): Update {
  const { hold: _, retry: __, ...rest } = updateOnDisk(folder, version)
  const update = { ...rest, rollbacks: [] }
  writeUpdate(folder, update)
  return update
}

/** Ends the watch of the present version. Returns a message that says why if it is not being watched. */
export function unwatchAlone(
  folder: Folder,
  version: string,
  asked: Pick<AskedUpdate, 'id' | 'running'>,
): { readonly ok: false; readonly message: string } | { readonly ok: true; readonly update: Update } {
  const onDisk = updateOnDisk(folder, version)
  const result = judgeAskedUnwatch(onDisk, asked)
  if (result.event !== 'over') return { ok: false, message: result.why ?? '' }
  const update = updateAfterStep(onDisk, result, { at: Date.now() })
  writeUpdate(folder, update)
  return { ok: true, update }
}
