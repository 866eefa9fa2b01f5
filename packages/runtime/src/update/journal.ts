/**
 * What is known of the versions of an agent, `.svc/journal/update.json`: written, synced, before each step, so that whoever comes after a
 * kill knows what to finish or to undo (docs/decisions/kills.md). Only who holds the folder's `runtime` lock writes it.
 */
import { levels } from '@svc/protocol'
import { boolean, list, number, object, oneOf } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { filled, type Noted, note, words } from '../files/note.ts'
import { applied, hold, release } from '../versions/release.ts'
import { states } from './moves.ts'

/** The 30 minutes after a keep (3.3, D27, D28). Times in seconds of running. */
const window = filled(
  object({
    /** The level at the keep. */
    baseline: oneOf(levels),
    ran: number(),
    /** Evaluations in a row that were worse. */
    worse: number(),
    /** How often the verdict changed between worse and not. */
    flips: number(),
    /** How often the process died by itself. */
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
      /** The version that works: while a new one is proved, the one before it. */
      running: release,
      /** Complete on the disk, for a way back that needs no network. */
      previous: release,
      /** The version that an update is about, from the wish until the keep. */
      to: release,
      /** Proofs of `to` that were begun: a start after a kill grants one more. */
      proofs: number(),
      window,
      /** What an undoing leaves behind. */
      away: release,
      applied,
      hold,
      /** When versions were rolled back, Unix ms: of the last day (D29). */
      rollbacks: list(moment, 10_000),
      /** After a transient failure: not before, Unix ms. */
      retry: moment,
      /** The last wish of a person on this machine, and what came of it. */
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

/** Why the disk does not give it out; undefined also where there is none. */
export function unreadable(folder: UpdatePath): string | undefined {
  const seen = file.look(folder)
  return seen.is === 'unreadable' ? `the journal of updates ${seen.why}` : undefined
}

/** Undefined when there was no update yet, or what stands there is none: then `current` says what runs. */
export const readUpdate: (folder: UpdatePath) => Update | undefined = file.read
