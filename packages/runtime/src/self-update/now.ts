/** What is true of the runtime's own file at this moment: for each report (2.6), and for people. */
import { statSync } from 'node:fs'
import type { RuntimeInfo } from '@svc/protocol'
import type { Folder } from '../files/folder.ts'
import type { RuntimeNote } from '../launcher/trial.ts'
import { version } from '../version.ts'
import { readPin } from './pin.ts'
import { insideOf } from './release.ts'

export function runtimeNow(folder: Folder, { applied }: RuntimeNote, running: string = version): RuntimeInfo {
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

/** Read again when the file is another one. */
function previousVersion({ runtimePrevious }: Folder): string | undefined {
  const stat = statSync(runtimePrevious, { throwIfNoEntry: false })
  const now = stat ? `${runtimePrevious} ${stat.ino} ${stat.size} ${stat.mtimeMs}` : ''
  if (now !== seen) known = stat && insideOf(runtimePrevious)?.version
  seen = now
  return known
}
