/**
 * The note about the agent's process, `.svc/journal/process.json`. It is written before each start and after it, so
 * that the next runtime finds the process after any kill (docs/decisions/kills.md). `svc status` and `svc why` read it,
 * too.
 */
import { boolean, either, type Field, field, number, object, oneOf } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { filled, type Noted, note, words, yes } from '../files/note.ts'

/** How a process ended. If only `at` is present, an earlier runtime had started it and nobody knows how it ended. */
const exit = filled(
  object({
    code: number(),
    signal: words,
    /** Why it could not be started at all. */
    error: words,
    /** Unix milliseconds. */
    at: number(),
  }),
  { at: 0 },
)
export type Exit = Noted<typeof exit>

/** `paused` and `asked`: by a person. `replaced`: another version should run. `ended`: by itself. */
const because = oneOf(['paused', 'asked', 'replaced', 'ended'])
export type Because = Noted<typeof because>

const alive = {
  pid: number(1),
  /** Boot and start time, which together with the pid identify the process. */
  start: words,
  /** Unix milliseconds. */
  since: number(),
  /** Consecutive starts that did not count. */
  crashes: number(),
  /** True if an earlier runtime started it. */
  adopted: boolean,
}
const unknownOfAlive = { since: 0, crashes: 0, adopted: false }
export type Alive = Omit<Noted<typeof running>, 'is'>

/**
 * Written for people who read the file, and never read back: a runtime that takes over a stopping process asks it to
 * end again, and kills it when its own time limit is over.
 */
const unread: Field<true> = field((): true | undefined => undefined, { const: true })

const running = filled(object({ is: oneOf(['running']), ...alive }, 'is', 'pid', 'start'), unknownOfAlive)
const stopping = filled(
  object(
    {
      is: oneOf(['stopping']),
      ...alive,
      because,
      killAt: number(),
      killed: unread,
      /** Present if its leader has ended and the rest of its group is being ended. */
      exit,
    },
    'is',
    'pid',
    'start',
  ),
  { ...unknownOfAlive, because: 'ended', killAt: 0 },
)
const waiting = filled(object({ is: oneOf(['waiting']), crashes: number(), startAt: number(), exit }, 'is'), {
  crashes: 0,
  startAt: 0,
})
const stopped = filled(object({ is: oneOf(['stopped']), because, exit }, 'is'), { because: 'ended' })
const state = either(either(running, stopping), either(waiting, stopped))
/** The state of the agent's process; moves.ts has its table. */
export type NotedState = Noted<typeof state>

const processNote = object(
  {
    state,
    /** The mark of the last start: its `SVC_AGENT_STARTED`. */
    started: words,
    /** True while a start is in progress: the process may exist although the state does not name it. */
    starting: yes,
    /** The version of the last start. */
    version: words,
    /** The declared file to which the last start prints; absent if it prints to our own. */
    output: words,
  },
  'state',
)
type ProcessNote = Noted<typeof processNote>

const file = note('process', processNote, 65_536)

/** The parts of a note. Undefined ones are left out. */
type NoteParts = Pick<ProcessNote, 'state'> & { readonly [K in keyof ProcessNote]: ProcessNote[K] | undefined }

export function writeNote(folder: Folder, note: NoteParts): void {
  prepare(folder)
  file.write(folder, note as ProcessNote)
}

/** Undefined if nothing was ever started here, or the note cannot be read. */
export const readNote = (folder: Pick<Folder, 'process'>): ProcessNote | undefined => file.read(folder)
