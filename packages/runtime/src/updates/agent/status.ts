/**
 * Reads the agent's status file for an update, and computes the level that follows from it. While the file cannot be
 * read, its last valid content counts for two reads (D28).
 */
import type { Manifest } from '@svc/blueprint'
import { type HealthItem, isTooFarAhead, type Level, type StatusFile, worstLevel } from '@svc/protocol'
import type { Folder } from '../../machine/files/folder.ts'
import { readStatus } from '../../reporter/status/file.ts'
import { type KeptStatus, statusAfterRead } from '../../reporter/status/keep.ts'
import { machinePathOf } from '../../state/paths.ts'
import type { ProcessState } from '../../state/process-note.ts'

/** The status file as it was read for an update. */
export interface StatusRead {
  readonly status: StatusFile
  /** Health items about the status file itself. */
  readonly health: readonly HealthItem[]
  /** True if the current process wrote the status file, and the file can be read. */
  readonly fresh: boolean
}

/**
 * Creates a reader of the agent's status. Its result is undefined if the manifest names no status file. `readFile` is
 * for tests.
 */
export function statusReader(
  folder: Folder,
  manifest: Pick<Manifest, 'status' | 'state'> | undefined,
  readFile = readStatus,
): (process: ProcessState) => StatusRead | undefined {
  const name = manifest?.status
  if (name === undefined) return () => undefined
  const file = machinePathOf(folder, manifest ?? {}, name)
  let kept: KeptStatus = { misses: 0 }
  return (process) => {
    const at = Date.now()
    const read = readFile(folder, file)
    const status = statusAfterRead(kept, read, name, at)
    kept = status.kept
    // The time at which the content that was read was written. The agent may have written again since.
    const written = read.is === 'bytes' ? read.mtimeMs : undefined
    const began = Number(process.started ?? Number.NaN) * 1000
    return {
      status: status.status,
      health: status.health,
      // If this clock puts the start into the future, the start cannot be compared with the time of the file.
      fresh: kept.misses === 0 && written !== undefined && (written >= began || isTooFarAhead(began, at)),
    }
  }
}

/**
 * The agent's own level (D27): the worst of its status file, of the remarks about that file, and of the health of its
 * process. The bindings do not count.
 */
export const ownLevel = (status: StatusFile, process: Level, remarks: readonly HealthItem[] = []): Level =>
  worstLevel([
    process,
    ...(status.state?.level ? [status.state.level] : []),
    ...[...(status.health ?? []), ...remarks].flatMap((item) => (item.level ? [item.level] : [])),
  ])
