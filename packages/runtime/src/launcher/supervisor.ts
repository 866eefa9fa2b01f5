/**
 * Owns the agent's process: starts, watches and stops it, and takes it over from an earlier runtime. supervision.ts
 * makes the decisions. The file `.svc/paused` says whether the agent is paused, and `order` says how it must be
 * started; the service is not involved.
 */
import { statSync } from 'node:fs'
import { messageOf } from '../errors.ts'
import type { Folder } from '../files/folder.ts'
import { reasonOf } from '../files/space.ts'
import { leadsInside } from '../logs/open.ts'
import { groupLives, signalGroup } from '../process/group.ts'
import { identityOf, lives } from '../process/identity.ts'
import { duration, unhurried } from '../time.ts'
import { leadsTo } from '../versions/folders.ts'
import { clock } from './clock.ts'
import type { ProcessState } from './moves.ts'
import { writeNote } from './note.ts'
import { rotateOutput } from './output.ts'
import { isTrouble, type RotationOutcome, rotationLine } from './rotation.ts'
import { start } from './spawn.ts'
import {
  begin,
  type OrderAnswer,
  type ProcessSeen,
  type Supervision,
  type SupervisionAct,
  type SupervisionEvent,
  type SupervisionRules,
  shown,
  step,
} from './supervision.ts'
import type { Found } from './take-over.ts'

interface Supervisor {
  state(): ProcessState
  /** Checks the agent's files and processes now. Without this call they are checked every second. */
  look(): void
  /** Ends the agent: asks its processes to end, and kills them later. Resolves when none of them is left. */
  stop(): Promise<void>
  /** Kills the agent at once. */
  kill(): void
}
interface SupervisorHost {
  readonly order: () => Promise<OrderAnswer>
  readonly changed: (state: ProcessState) => void
  readonly say: (line: string) => void
}

export function supervise(folder: Folder, found: Found, { order, changed, say }: SupervisorHost): Supervisor {
  let now = begin(found)
  let timer: NodeJS.Timeout | undefined
  let stopped: (() => void) | undefined
  /** True while the output cannot be rotated as it should be. */
  let troubled = false
  function on(event: SupervisionEvent): void {
    const { state, acts } = step(now, event, rulesOf(folder), clock())
    now = state
    for (const act of acts) perform[act.do](act as never)
  }
  const look = (): void => on({ is: 'look', seen: seenAt(folder, now) })
  const perform: { readonly [K in SupervisionAct['do']]: (act: Extract<SupervisionAct, { do: K }>) => void } = {
    note: ({ starting }) => note(folder, now, starting, say),
    say: ({ line }) => say(line),
    tell: () => changed(shown(now)),
    ask: ({ first }) =>
      void order().then((answer) => on({ is: 'answered', answer, wall: Date.now(), ...(first && { first }) })),
    start: (act) => void spawn(folder, act, { on, say }).then(on),
    signal: ({ pid, signal }) => void signalGroup(pid, signal),
    'clean up': (act) => void cleanUp(folder, act, say),
    rotate: () => {
      const outcome = rotate(folder, now)
      if (!outcome) return
      const line = rotationLine(troubled, outcome)
      troubled = isTrouble(outcome)
      if (line !== undefined) say(line)
    },
    look,
    wait: ({ ms }) => {
      clearTimeout(timer)
      timer = setTimeout(look, ms)
    },
    end: () => {
      clearTimeout(timer)
      stopped?.()
    },
  }
  on({ is: 'begun', unnoted: found.unnoted === true })
  return {
    state: () => shown(now),
    look,
    stop: () =>
      new Promise((resolve) => {
        stopped = resolve
        on({ is: 'stop' })
      }),
    kill: () => {
      if ('pid' in now.state) signalGroup(now.state.pid, 'SIGKILL')
    },
  }
}

type Say = (line: string) => void

/**
 * Writes the note about the agent's process. If the disk refuses, the agent keeps running and the note is outdated; the
 * mark in the environment of the process still identifies it.
 */
function note(folder: Folder, { state, started, version, output }: Supervision, starting: true | undefined, say: Say) {
  try {
    writeNote(folder, { state, started, starting, version, output })
  } catch (error) {
    say(`the note about the agent's process could not be written: ${messageOf(error)}`)
  }
}

/**
 * Starts the agent's process. Resolves when the start has succeeded or failed; the end of the process is reported
 * later.
 */
async function spawn(
  folder: Folder,
  { order, started }: Extract<SupervisionAct, { do: 'start' }>,
  { on, say }: { readonly on: (event: SupervisionEvent) => void; readonly say: Say },
): Promise<SupervisionEvent> {
  const got = await start(folder, order, started)
  if (!got.ok) return { is: 'unstartable', error: got.error }
  if (got.lost !== undefined) say(`what the agent prints until its next start is lost, because ${got.lost}`)
  const { pid, child, output } = got
  child.once('exit', (code, signal) => {
    const how = { ...(code !== null && { code }), ...(signal !== null && { signal }) }
    on({ is: 'exit', pid, how, remains: groupLives(pid) })
  })
  return { is: 'started', pid, start: identityOf(pid)?.start ?? '', output }
}

async function cleanUp(
  folder: Folder,
  { order, started }: Extract<SupervisionAct, { do: 'clean up' }>,
  say: Say,
): Promise<void> {
  const argv = order.cleanup ?? []
  const done = await start(folder, { ...order, argv }, started)
  if (!done.ok) say(`${argv.join(' ')}: ${done.error}`)
}

function rotate(folder: Folder, { output }: Supervision): RotationOutcome | undefined {
  try {
    return output === undefined || leadsInside(folder, output) ? rotateOutput(output ?? folder.output) : undefined
  } catch (error) {
    return { failed: reasonOf(error, output ?? folder.output) }
  }
}

const rulesOf = ({ output }: Folder): SupervisionRules => ({
  output,
  minWait: duration(1),
  maxWait: duration(300),
  counts: unhurried(5),
  stop: duration,
  again: duration(5),
  gone: duration(2),
  rotate: duration(5),
  look: duration(1),
  hurry: 50,
})

/**
 * Reads the agent's files and looks which of its processes exist. A process is looked for only if it is not a child of
 * this runtime, since the runtime is notified when a child ends.
 */
function seenAt(folder: Folder, { state, child }: Supervision): ProcessSeen {
  return {
    lives: child || ('pid' in state && lives(state)),
    group: !child && 'pid' in state && groupLives(state.pid),
    paused: statSync(folder.paused, { throwIfNoEntry: false }) !== undefined,
    runAsked: statSync(folder.runNow, { throwIfNoEntry: false })?.mtimeMs,
    leadsTo: folder.installed ? leadsTo(folder) : undefined,
  }
}
