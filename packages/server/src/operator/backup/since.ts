/**
 * Finds the access that a restore brings back although it had ended since the backup, by comparing the backup with the
 * data that the restore puts aside (D79). Pure.
 */
import type { Access, AccessEntry, AccessKind } from './access.ts'

type LaterEntry = AccessEntry & {
  /** The state in the later data. */
  now: string
}

/** The access in the backup that ended or changed since, by kind. */
export interface LaterChanges {
  /**
   * The entries that are missing in the later data, although the workspace and person to which they belong are there.
   */
  gone: Readonly<Record<AccessKind, readonly AccessEntry[]>>
  changed: Readonly<Record<AccessKind, readonly LaterEntry[]>>
  /** The workspaces that require a second factor in the later data but not in the backup. */
  required: readonly AccessEntry[]
}

/** Compares the access in the backup with that in the later data, or returns why the two cannot be compared. */
export function endedSince(backup: Access, later: Access): LaterChanges | string {
  if (!isSameService(backup, later)) return 'it is not of the same service'
  if (!isLater(backup, later)) return 'it does not go on from this backup'
  const owners = new Set([...later.entries.people, ...later.entries.workspaces].map(({ key }) => key))
  const kinds = Object.entries(backup.entries) as [AccessKind, readonly AccessEntry[]][]
  const gone = {} as Record<AccessKind, AccessEntry[]>
  const changed = {} as Record<AccessKind, LaterEntry[]>
  for (const [kind, entries] of kinds) {
    const after = new Map(later.entries[kind].map((entry) => [entry.key, entry.state]))
    gone[kind] = entries.filter(({ key, owners: own }) => !after.has(key) && own.every((owner) => owners.has(owner)))
    changed[kind] = entries.flatMap((entry) => {
      const later = after.get(entry.key)
      return later === undefined || later === entry.state ? [] : [{ ...entry, now: later }]
    })
  }
  const required = new Set(backup.entries.requirements.map(({ key }) => key))
  const here = new Set(backup.entries.workspaces.map(({ key }) => key))
  return {
    gone,
    changed,
    required: later.entries.requirements.filter(({ key }) => here.has(key) && !required.has(key)),
  }
}

/** True if the later data belongs to the service of the backup. In a newly installed service everything is missing. */
function isSameService(backup: Access, later: Access): boolean {
  return (['people', 'workspaces'] as const).some((kind) => {
    const keys = new Set(later.entries[kind].map(({ key }) => key))
    return backup.entries[kind].some(({ key }) => keys.has(key))
  })
}

/**
 * True if the later data continues the backup. If it is older, or was itself restored from an older backup, it can lack
 * rows that the backup has, although nobody deleted them.
 */
function isLater(backup: Access, later: Access): boolean {
  const before = new Set(backup.restores.map(({ id }) => id))
  const restores = later.restores.filter(({ id }) => !before.has(id))
  return later.lastAt >= backup.lastAt && restores.every(({ from }) => from !== null && from >= backup.lastAt)
}
