/**
 * The note about the versions of an agent, `.svc/journal/update.json`. It is written and synced before each step,
 * so that after a kill the next start knows what to finish or to undo (docs/decisions/kills.md). Only the holder of the
 * folder's `runtime` lock writes it.
 */
import { levels } from '@svc/protocol'
import { boolean, list, number, object, oneOf } from '@svc/protocol/fields'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue, withDefaults } from '../../machine/files/note.ts'
import { applied, hold, versionRef } from '../../state/versions/version-ref.ts'
import { states } from './moves.ts'

/**
 * The 30 minutes for which a version is watched after it was kept (3.3, D27, D28). Times are in seconds, and count only
 * while the agent runs.
 */
const window = withDefaults(
  object({
    /** The level of the agent when the version was kept. */
    baseline: oneOf(levels),
    ran: number(),
    /** The number of consecutive evaluations in which the agent's level was worse than the baseline. */
    worse: number(),
    /** The number of times the evaluations changed between worse than the baseline and not worse. */
    flips: number(),
    /** The number of times the agent's process crashed while the version was watched. */
    deaths: number(),
  }),
  { baseline: 'ok', ran: 0, worse: 0, flips: 0, deaths: 0 },
)
export type WatchWindow = NoteValue<typeof window>

const moment = withDefaults(object({ version: anyText, at: number() }, 'version'), { at: 0 })

const update = withDefaults(
  object(
    {
      state: oneOf(states),
      /** The version that works. While a new version is on trial, this field still names the version before it. */
      running: versionRef,
      /** The previous version. It is complete on the disk, so a rollback needs no network. */
      previous: versionRef,
      /** The version that is being installed, from the wish until it is kept. */
      to: versionRef,
      /** The number of trials of the new version, except one that a clean end of the runtime interrupted. */
      proofs: number(),
      window,
      /** The version that a rollback in progress leaves. */
      away: versionRef,
      applied,
      hold,
      /**
       * The rollbacks (D29), each with its version and its time in Unix milliseconds. Those that no longer
       * count are removed when another one is added.
       */
      rollbacks: list(moment, 10_000),
      /**
       * The version whose update failed for a passing reason, and the time in Unix milliseconds from which it is tried
       * again.
       */
      retry: moment,
      /** The last request of a person on this machine, with its answer. */
      asked: withDefaults(object({ id: anyText, ok: boolean, message: anyText }, 'id'), { ok: false, message: '' }),
    },
    'state',
    'running',
  ),
  { rollbacks: [] },
)
export type Update = NoteValue<typeof update>

const file = describeNote('update', update, 262_144)
type UpdatePath = Pick<Folder, 'update'>

export function writeUpdate(folder: Folder, update: Update): void {
  createFolders(folder)
  file.write(folder, update)
}

/**
 * Why the journal of updates cannot be read; undefined if it can be read, if there is none, or if its content is
 * damaged.
 */
export function unreadableJournal(folder: UpdatePath): string | undefined {
  const read = file.inspect(folder)
  return read.is === 'unreadable' ? `the journal of updates ${read.why}` : undefined
}

/**
 * Reads the journal of updates. Undefined if there was no update yet, or if the journal is invalid; then the link
 * `current` says which version runs.
 */
export const readUpdate: (folder: UpdatePath) => Update | undefined = file.read
