/** Lists the logs that a manifest declares, with the size and age of those that may be read (D52). */
import { readdirSync } from 'node:fs'
import { type DeclaredLog, logsBelow, type Manifest } from '@svc/blueprint'
import type { Folder } from '../../machine/files/folder.ts'
import { placeOf } from '../paths.ts'
import { declaredLog } from './open.ts'

type Declaring = Pick<Manifest, 'logs'> & Partial<Pick<Manifest, 'state'>>

interface ListedLog extends DeclaredLog {
  readonly bytes?: number
  /** When the file last changed, in Unix seconds. */
  readonly changed?: number
}

/** Lists the declared logs. A log that stands for many is listed once for each file that may be read. */
export const listLogs = (folder: Folder, manifest: Declaring): ListedLog[] =>
  manifest.logs.flatMap((log): ListedLog[] => {
    const below = logsBelow(log)
    if (!below) return [withFile(folder, manifest, log)]
    const found = entriesOf(placeOf(folder, manifest, below.folder))
      .flatMap((entry) => below.logOf(entry) ?? [])
      .map((one) => withFile(folder, manifest, one))
      .filter(({ bytes }) => bytes !== undefined)
    return found.length > 0 ? found : [log]
  })

function withFile(folder: Folder, manifest: Declaring, log: DeclaredLog): ListedLog {
  const stat = declaredLog(folder)(placeOf(folder, manifest, log.path), (_, found) => found)
  return { ...log, ...(stat && { bytes: stat.size, changed: Math.floor(stat.mtimeMs / 1000) }) }
}

/** The names in a folder, sorted; none if it cannot be read. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
