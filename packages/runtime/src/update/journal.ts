/**
 * The note about the versions of an agent, `.svc/journal/update.json`. It is written and synced before each step,
 * so that after a kill the next start knows what to finish or to undo (docs/decisions/kills.md). Only the holder of the
 * folder's `runtime` lock writes it.
 */
import { levels } from '@svc/protocol'
import { boolean, list, number, object, oneOf } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { filled, type Noted, note, words } from '../files/note.ts'
import { applied, hold, release } from '../versions/release.ts'
import { states } from './moves.ts'

/** The 30 minutes after a keep (3.3, D27, D28). Times are in seconds of running. */
const window = filled(
  object({
    /** The level at the keep. */
    baseline: oneOf(levels),
    ran: number(),
    /** Consecutive evaluations that were worse. */
    worse: number(),
    /** The number of times the verdict changed between worse and not worse. */
    flips: number(),
    /** The number of times the process died by itself. */
    deaths: number(),
  }),
  { baseline: 'ok', ran: 0, worse: 0, flips: 0, deaths: 0 },
)
export type Window = Noted<typeof window>

const moment = filled(object({ version: words, at: number() }, 'version'), { at: 0 })

const update = filled(
  object(
    {
      state: oneOf(states),
      /** The version that works; while a new one is proved, the one before it. */
      running: release,
      /** The previous version, complete on the disk, so that a rollback needs no network. */
      previous: release,
      /** The version that the update installs, from the wish until the keep. */
      to: release,
      /** The number of proofs of `to` that were started; a start after a kill grants one more. */
      proofs: number(),
      window,
      /** The version that a rollback leaves. */
      away: release,
      applied,
      hold,
      /** The rollbacks of the last day (D29), each with its version and time in Unix milliseconds. */
      rollbacks: list(moment, 10_000),
      /** The version that had a transient failure, and the Unix milliseconds before which it is not retried. */
      retry: moment,
      /** The last request of a person on this machine, and its answer. */
      asked: filled(object({ id: words, ok: boolean, message: words }, 'id'), { ok: false, message: '' }),
    },
    'state',
    'running',
  ),
  { rollbacks: [] },
)
export type Update = Noted<typeof update>

const file = note('update', update, 262_144)
type UpdatePath = Pick<Folder, 'update'>

export function writeUpdate(folder: Folder, update: Update): void {
  prepare(folder)
  file.write(folder, update)
}

/** Why the journal cannot be read; undefined if it can, or if there is none. */
export function unreadable(folder: UpdatePath): string | undefined {
  const seen = file.look(folder)
  return seen.is === 'unreadable' ? `the journal of updates ${seen.why}` : undefined
}

/** Undefined if there was no update yet or the journal is invalid; then `current` says what runs. */
export const readUpdate: (folder: UpdatePath) => Update | undefined = file.read
