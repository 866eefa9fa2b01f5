/**
 * Finds the things that a restore brings back although they had ended since the backup, by comparing the backup with
 * the data that the restore puts aside (D79). Pure.
 */
import type { Access, AccessThing, ThingKind } from './access.ts'

type LaterThing = AccessThing & {
  /** The state in the later data. */
  now: string
}

/** The things of the backup that ended or changed since, by kind. */
export interface LaterChanges {
  /**
   * The things that are missing in the later data, although the workspace and person to which they belong are there.
   */
  gone: Readonly<Record<ThingKind, readonly AccessThing[]>>
  changed: Readonly<Record<ThingKind, readonly LaterThing[]>>
  /** The workspaces that require a second factor in the later data but not in the backup. */
  required: readonly AccessThing[]
}

/** Compares the access in the backup with that in the later data, or returns why the two cannot be compared. */
export function endedSince(backup: Access, later: Access): LaterChanges | string {
  if (!isSameService(backup, later)) return 'it is not of the same service'
  if (!isLater(backup, later)) return 'it does not go on from this backup'
  const owners = new Set([...later.things.people, ...later.things.workspaces].map(({ key }) => key))
  const kinds = Object.entries(backup.things) as [ThingKind, readonly AccessThing[]][]
  const gone = {} as Record<ThingKind, AccessThing[]>
  const changed = {} as Record<ThingKind, LaterThing[]>
  for (const [kind, things] of kinds) {
    const after = new Map(later.things[kind].map((thing) => [thing.key, thing.state]))
    gone[kind] = things.filter(({ key, owners: own }) => !after.has(key) && own.every((owner) => owners.has(owner)))
    changed[kind] = things.flatMap((thing) => {
      const later = after.get(thing.key)
      return later === undefined || later === thing.state ? [] : [{ ...thing, now: later }]
    })
  }
  const required = new Set(backup.things.requirements.map(({ key }) => key))
  const here = new Set(backup.things.workspaces.map(({ key }) => key))
  return {
    gone,
    changed,
    required: later.things.requirements.filter(({ key }) => here.has(key) && !required.has(key)),
  }
}

/** True if the later data belongs to the service of the backup. In a newly installed service everything is missing. */
function isSameService(backup: Access, later: Access): boolean {
  return (['people', 'workspaces'] as const).some((kind) => {
    const keys = new Set(later.things[kind].map(({ key }) => key))
    return backup.things[kind].some(({ key }) => keys.has(key))
  })
}

/**
 * True if the later data was made after the backup. If it is older, or was itself restored from an older backup, a
 * thing that is missing there may just be newer.
 */
function isLater(backup: Access, later: Access): boolean {
  const before = new Set(backup.restores.map(({ id }) => id))
  const restores = later.restores.filter(({ id }) => !before.has(id))
  return later.lastAt >= backup.lastAt && restores.every(({ from }) => from !== null && from >= backup.lastAt)
}
