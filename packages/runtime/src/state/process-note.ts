/**
 * The note about the agent's process, `.svc/journal/process.json`. It is written before and after each start, so that
 * after any kill the next runtime finds the process (docs/decisions/kills.md). `svc status` and `svc why` read the
 * note, too.
 */
import { boolean, either, type Field, field, number, object, oneOf } from '@svc/protocol/fields'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue, trueField, withDefaults } from '../machine/files/note.ts'

/**
 * How a process ended. If only `at` is present, this is not known: an earlier runtime had started the process, so this
 * one could not read its exit code.
 */
const exit = withDefaults(
  object({
    code: number(),
    signal: anyText,
    /** The reason why the agent's process could not be started at all; absent if it was started. */
    error: anyText,
    /** When the agent's process ended, in Unix milliseconds. */
    at: number(),
  }),
  { at: 0 },
)
export type ProcessExit = NoteValue<typeof exit>

/**
 * Why the process is being ended or does not run: the agent is paused (`paused`), svc was stopped (`asked`), another
 * version should run (`replaced`), or the process ended by itself (`ended`).
 */
const because = oneOf(['paused', 'asked', 'replaced', 'ended'])
export type StopCause = NoteValue<typeof because>

const processFields = {
  pid: number(1),
  /** The boot id and the start time, which together with the pid identify the process. */
  start: anyText,
  /** When the agent's process was started, in Unix milliseconds. */
  since: number(),
  /** The number of times in a row that the process ended by itself. It is reset once a process has run for a while. */
  crashes: number(),
  /** True if an earlier runtime started the process. */
  adopted: boolean,
}
const unknownOfAlive = { since: 0, crashes: 0, adopted: false }
export type RunningProcess = Omit<NoteValue<typeof running>, 'is' | 'background'>

/**
 * A field that the runtime writes only for people who read the file. The next runtime does not need it: if the process
 * must still end, that runtime asks it again, with a new time limit.
 */
const unread: Field<true> = field((): true | undefined => undefined, { const: true })

const running = withDefaults(
  object(
    {
      is: oneOf(['running']),
      ...processFields,
      /** True if the process that svc started has ended with code 0, and has left this process in the background. */
      background: trueField,
    },
    'is',
    'pid',
    'start',
  ),
  unknownOfAlive,
)
const stopping = withDefaults(
  object(
    {
      is: oneOf(['stopping']),
      ...processFields,
      because,
      killAt: number(),
      killed: unread,
      /** Present if the leader of the process group has ended and the rest of the group is being ended. */
      exit,
    },
    'is',
    'pid',
    'start',
  ),
  { ...unknownOfAlive, because: 'ended', killAt: 0 },
)
const waiting = withDefaults(object({ is: oneOf(['waiting']), crashes: number(), startAt: number(), exit }, 'is'), {
  crashes: 0,
  startAt: 0,
})
const stopped = withDefaults(object({ is: oneOf(['stopped']), because, exit }, 'is'), { because: 'ended' })
const state = either(either(running, stopping), either(waiting, stopped))
/** The state of the agent's process. launcher/moves.ts has the table of its transitions. */
type NotedState = NoteValue<typeof state>

/** The state of the agent's process, and facts about its last start. */
export type ProcessState = NotedState & {
  /** The version of an installed agent that was started last, as the name of its folder. */
  readonly version?: string
  /** The mark of the agent's last start (2.12): its time in Unix seconds, which is noted before the process starts. */
  readonly started?: string
}

const processNote = object(
  {
    state,
    /** The mark of the agent's last start, which its process has in `SVC_AGENT_STARTED`. */
    started: anyText,
    /** True while a start is in progress. The process may then exist although `state` does not name it. */
    starting: trueField,
    /** The version of the agent that was last started, as the name of its folder. */
    version: anyText,
    /** The log of the manifest into which the process prints; absent if it prints into `.svc/log/agent.log`. */
    output: anyText,
  },
  'state',
)
type ProcessNote = NoteValue<typeof processNote>

const file = describeNote('process', processNote, 65_536)

/** The parts of a note about the agent's process. Undefined parts are not written. */
type NoteParts = Pick<ProcessNote, 'state'> & { readonly [K in keyof ProcessNote]: ProcessNote[K] | undefined }

export function writeNote(folder: Folder, note: NoteParts): void {
  createFolders(folder)
  file.write(folder, note as ProcessNote, 'process')
}

/**
 * Reads the note about the agent's process; undefined if there is none, because nothing was ever started in this
 * folder, or if it cannot be read.
 */
export const readNote = (folder: Pick<Folder, 'process'>): ProcessNote | undefined => file.read(folder)
