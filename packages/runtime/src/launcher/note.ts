/**
 * The note about the agent's process, `.svc/journal/process.json`: written before each start and after it, so that the next
 * runtime finds the process whatever was killed when (docs/decisions/kills.md). It is what `svc status` and `svc why` read, too.
 */
import { boolean, either, type Field, field, number, object, oneOf } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { filled, type Noted, note, words, yes } from '../files/note.ts'

/** How a process ended. All absent but `at`: it was taken over from an earlier runtime, and nobody knows. */
const exit = filled(
  object({
    code: number(),
    signal: words,
    /** It could not be started at all. */
    error: words,
    /** Unix ms. */
    at: number(),
  }),
  { at: 0 },
)
export type Exit = Noted<typeof exit>

/** `paused` and `asked`: a person's doing. `replaced`: another version is to run. `ended`: by itself. */
const because = oneOf(['paused', 'asked', 'replaced', 'ended'])
export type Because = Noted<typeof because>

const alive = {
  pid: number(1),
  /** Boot and start time: with the pid, which process it is. */
  start: words,
  /** Unix ms. */
  since: number(),
  /** Starts in a row that did not count. */
  crashes: number(),
  /** Started by an earlier runtime. */
  adopted: boolean,
}
const unknownOfAlive = { since: 0, crashes: 0, adopted: false }
export type Alive = Omit<Noted<typeof running>, 'is'>

/**
 * Noted for the person who looks at the file, and never read back: a runtime that takes a stopping process over asks it to end by
 * itself again, and kills it when its own time is over.
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
      /** Its leader ended already; what it left behind is being ended. */
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
/** Of the agent's process; moves.ts has its table. */
export type NotedState = Noted<typeof state>

const processNote = object(
  {
    state,
    /** The mark of the last start: its `SVC_AGENT_STARTED`. */
    started: words,
    /** A start is under way: the process may be there although the state does not name it. */
    starting: yes,
    /** The version that the last start was made from. */
    version: words,
    /** The declared file to which the last start prints; absent where that is our own. */
    output: words,
  },
  'state',
)
type ProcessNote = Noted<typeof processNote>

const file = note('process', processNote, 65_536)

/** What is undefined is left out. */
type NoteParts = Pick<ProcessNote, 'state'> & { readonly [K in keyof ProcessNote]: ProcessNote[K] | undefined }

export function writeNote(folder: Folder, note: NoteParts): void {
  prepare(folder)
  file.write(folder, note as ProcessNote)
}

/** Undefined when nothing was started here yet, or the note cannot be read. */
export const readNote = (folder: Pick<Folder, 'process'>): ProcessNote | undefined => file.read(folder)
