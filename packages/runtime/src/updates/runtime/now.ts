/** The current state of the runtime's own file, for each report (2.6) and for people. */
import { existsSync, statSync } from 'node:fs'
import type { RuntimeInfo } from '@svc/protocol'
import { programFile } from '../../launcher/file.ts'
import { attemptText } from '../../machine/base/time.ts'
import { ownVersion } from '../../machine/base/version.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { sha256OfFile } from '../../machine/files/sha256.ts'
import { commandHint } from '../../machine/hint.ts'
import { type RuntimeNote, readRuntimeNote } from '../../state/versions/runtime-note.ts'
import { readPin, unreadablePin } from './pin.ts'
import { readInsideRelease } from './release.ts'
import { isFileReplaced } from './wanted.ts'

export function runtimeNow(folder: Folder, { applied }: RuntimeNote, running: string = ownVersion): RuntimeInfo {
  const previous = previousVersion(folder)
  const pinned = readPin(folder)
  return {
    version: running,
    ...(previous !== undefined && previous !== running && { previous }),
    ...(pinned !== undefined && { pinned }),
    ...(applied && { applied }),
  }
}

let seen = ''
let known: string | undefined

/** The version of the runtime's previous file. The file is read again only if it has changed. */
function previousVersion({ runtimePrevious }: Folder): string | undefined {
  const stat = statSync(runtimePrevious, { throwIfNoEntry: false })
  const stamp = stat ? `${runtimePrevious} ${stat.ino} ${stat.size} ${stat.mtimeMs}` : ''
  if (stamp !== seen) known = stat && readInsideRelease(runtimePrevious)?.version
  seen = stamp
  return known
}

/** Reads the state of the runtime's own file from the disk, for commands that run in another process. */
export function runtimeFacts(folder: Folder) {
  const { trial, hold: noted, applied } = readRuntimeNote(folder)
  const hold = noted && !isFileReplaced(noted, sha256OfFile(folder.runtime)) ? noted : undefined
  const running = readInsideRelease(folder.runtime)?.version ?? ownVersion
  return {
    ...runtimeNow(folder, { ...(applied && { applied }) }, running),
    file: existsSync(folder.runtime) ? folder.runtime : programFile(),
    ...(hold && { hold: { version: hold.version, reason: hold.reason } }),
    ...(trial && { trial: { is: trial.is, from: trial.from.version, to: trial.to.version } }),
  }
}
export type RuntimeFacts = ReturnType<typeof runtimeFacts>

/** Sentences about the runtime's own version, for `svc why`. */
export function runtimeSentences({ version: running, previous, pinned, applied, hold, trial }: RuntimeFacts): string[] {
  return [
    `Its runtime is svc ${running}${previous === undefined ? '' : `; ${previous} is kept as the previous version, and "${commandHint('rollback-runtime')}" goes back to it`}.`,
    ...(trial?.is === 'trying'
      ? [
          `svc ${trial.to} is being tested: unless a report of it is answered, ${trial.from} comes back by itself within five minutes.`,
        ]
      : []),
    ...(trial?.is === 'undoing' ? [`svc ${trial.from} is being put back in place of ${trial.to}.`] : []),
    ...(pinned === undefined
      ? []
      : [
          `It is pinned to ${pinned === unreadablePin ? 'a version that cannot be read' : pinned} and does not update itself to another version; "${commandHint('pin-runtime off')}" unpins it.`,
        ]),
    ...(hold
      ? [
          `svc ${hold.version} is on hold until the service requests another version, or its file is put in place here: ${hold.reason}.`,
        ]
      : []),
    ...(applied ? [`The last update of the runtime, ${applied.outcome}: ${attemptText(applied.message)}.`] : []),
  ]
}
