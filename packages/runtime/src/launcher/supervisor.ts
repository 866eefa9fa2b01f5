/**
 * Owns the agent's process: starts, watches and stops it, and takes it over from an earlier runtime. supervision.ts
 * makes the decisions. The file `.svc/paused` says whether the agent is paused, and the worker's order says how it must
 * be started; the service is not involved.
 */
import { statSync } from 'node:fs'
import { messageOf } from '../machine/base/errors.ts'
import { flooredMs, scaledMs, timeoutMs, wait } from '../machine/base/time.ts'
import type { Folder } from '../machine/files/folder.ts'
import { failureReason } from '../machine/files/space.ts'
import { groupLives } from '../machine/process/group.ts'
import { identityOf, isAlive } from '../machine/process/identity.ts'
import { leadsInside } from '../state/logs/open.ts'
import { type ProcessExit, type ProcessState, writeNote } from '../state/process-note.ts'
import { currentVersionFolder } from '../state/versions/folders.ts'
import { clock } from './clock.ts'
import { type LeftProcesses, leftProcessesOf } from './left.ts'
import { rotateOutput } from './output.ts'
import { isTrouble, type RotationOutcome, rotationLine } from './rotation.ts'
import { spawnAgent } from './spawn.ts'
import {
  initialSupervision,
  type ProcessSnapshot,
  type StartOrderAnswer,
  type Supervision,
  type SupervisionAct,
  type SupervisionEvent,
  type SupervisionRules,
  shownState,
  step,
} from './supervision.ts'
import type { FoundState } from './take-over.ts'

interface Supervisor {
  state(): ProcessState
  /** Checks the agent's files and processes now. They are also checked every second. */
  check(): void
  /** Ends the agent: asks its processes to end, and kills them later. Resolves when none of them is left. */
  stop(): Promise<void>
  /** Kills the agent at once. */
  kill(): void
}
interface SupervisorHost {
  readonly order: () => Promise<StartOrderAnswer>
  readonly changed: (state: ProcessState) => void
  readonly say: (line: string) => void
}

export function supervise(folder: Folder, found: FoundState, { order, changed, say }: SupervisorHost): Supervisor {
  let now = initialSupervision(found)
  let timer: NodeJS.Timeout | undefined
  let stopped: (() => void) | undefined
  /** True if the last rotation of the output failed or lost output. */
  let troubled = false
  const cleaners = new Set<number>()
  const left = leftProcessesOf(folder.root, cleaners)
  const hands: SupervisorParts = { folder, left, cleaners }
  function on(event: SupervisionEvent): void {
    const { state, acts } = step(now, event, rulesOf(folder), clock())
    now = state
    for (const act of acts) perform[act.do](act as never)
  }
  const check = (): void => on({ is: 'check', seen: seenAt(hands, now) })
  const perform: { readonly [K in SupervisionAct['do']]: (act: Extract<SupervisionAct, { do: K }>) => void } = {
    note: ({ starting }) => note(folder, now, starting, say),
    say: ({ line }) => say(line),
    tell: () => changed(shownState(now)),
    ask: ({ first }) =>
      void order().then((answer) => on({ is: 'answered', answer, wall: Date.now(), ...(first && { first }) })),
    start: (act) => void spawn(hands, act, { on, say }).then(on),
    signal: ({ pid, signal }) => left.signalGroup(pid, signal, isLed(now)),
    'signal left': ({ signal }) => left.signal(signal, 'pid' in now.state ? now.state.pid : undefined),
    'clean up': (act) => void cleanUp(hands, act, say),
    rotate: () => {
      const outcome = rotate(folder, now)
      if (!outcome) return
      const line = rotationLine(troubled, outcome)
      if (!('removed' in outcome)) troubled = isTrouble(outcome)
      if (line !== undefined) say(line)
    },
    check,
    wait: ({ ms }) => {
      clearTimeout(timer)
      timer = setTimeout(check, ms)
    },
    end: () => {
      clearTimeout(timer)
      stopped?.()
    },
  }
  on({ is: 'begun', unnoted: found.unnoted === true })
  return {
    state: () => shownState(now),
    check,
    stop: () =>
      new Promise((resolve) => {
        stopped = resolve
        on({ is: 'stop' })
      }),
    kill: () => {
      if (!('pid' in now.state)) return
      left.signalGroup(now.state.pid, 'SIGKILL', isLed(now))
      left.signal('SIGKILL', now.state.pid)
    },
  }
}

type Say = (line: string) => void

/**
 * The parts with which the supervisor acts: the agent's folder, its processes, and the pids of clean-up commands.
 */
interface SupervisorParts {
  readonly folder: Folder
  readonly left: LeftProcesses
  readonly cleaners: Set<number>
}

/** True if the very process that leads the agent's group lives, so that the id of the group is the agent's. */
const isLed = ({ state }: Supervision): boolean => 'pid' in state && state.start !== '' && isAlive(state)

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
 * Starts the agent's process. Resolves when the start has succeeded or failed; the end of the process follows as the
 * event `exit`.
 */
async function spawn(
  { folder, left, cleaners }: SupervisorParts,
  { order, started }: Extract<SupervisionAct, { do: 'start' }>,
  { on, say }: { readonly on: (event: SupervisionEvent) => void; readonly say: Say },
): Promise<SupervisionEvent> {
  const got = await spawnAgent(folder, order, started)
  if (!got.ok) return { is: 'unstartable', error: got.error }
  if (got.lost !== undefined) say(`what the agent prints until its next start is lost, because ${got.lost}`)
  const { pid, child, output } = got
  child.once('exit', (code, signal) => {
    const how = { ...(code !== null && { code }), ...(signal !== null && { signal }) }
    left.orphaned(pid)
    void settled(pid, how).then(() =>
      on({ is: 'exit', pid, how, remains: left.groupLives(pid) || cleaners.size > 0, left: left.search() }),
    )
  })
  return { is: 'started', pid, start: identityOf(pid)?.start ?? '', output }
}

/**
 * Waits a moment if a process ended with code 0 and its group lives: a program that puts itself into the background is
 * still leaving the group then.
 */
async function settled(pid: number, { code }: Omit<ProcessExit, 'at'>): Promise<void> {
  if (code !== 0) return
  const never = new AbortController().signal
  for (const end = performance.now() + flooredMs(1); groupLives(pid) && performance.now() < end; ) await wait(20, never)
}

/** The seconds after which a command that ends containers is killed. */
const cleanUpSeconds = 30

async function cleanUp(
  { folder, cleaners }: SupervisorParts,
  { order, started }: Extract<SupervisionAct, { do: 'clean up' }>,
  say: Say,
): Promise<void> {
  const argv = order.cleanup ?? []
  const done = await spawnAgent(folder, { ...order, argv }, started)
  if (!done.ok) return say(`${argv.join(' ')}: ${done.error}`)
  const { pid, child } = done
  cleaners.add(pid)
  const timer = setTimeout(() => child.kill('SIGKILL'), scaledMs(cleanUpSeconds))
  child.once('exit', () => {
    clearTimeout(timer)
    cleaners.delete(pid)
  })
}

function rotate(folder: Folder, { output }: Supervision): RotationOutcome | undefined {
  try {
    return output === undefined || leadsInside(folder, output) ? rotateOutput(output ?? folder.output) : undefined
  } catch (error) {
    return { failed: failureReason(error, output ?? folder.output) }
  }
}

const rulesOf = ({ output }: Folder): SupervisionRules => ({
  output,
  minWait: scaledMs(1),
  maxWait: scaledMs(300),
  counts: flooredMs(5),
  stop: scaledMs,
  again: scaledMs(5),
  gone: timeoutMs(2),
  rotate: scaledMs(5),
  interval: scaledMs(1),
  hurry: 50,
})

/**
 * Reads the agent's files and looks which of its processes exist. The agent's own process is looked for only if it is
 * not a child of this runtime, since the runtime is notified when a child ends.
 */
function seenAt({ folder, left, cleaners }: SupervisorParts, { state, child, clean }: Supervision): ProcessSnapshot {
  const there = child || ('pid' in state && isAlive(state))
  const isNeeded = 'pid' in state ? !there : clean !== true
  return {
    lives: there,
    group: !child && 'pid' in state && (there || left.groupLives(state.pid)),
    left: isNeeded ? left.now() : [],
    cleaning: cleaners.size > 0,
    paused: statSync(folder.paused, { throwIfNoEntry: false }) !== undefined,
    runAsked: statSync(folder.runNow, { throwIfNoEntry: false })?.mtimeMs,
    leadsTo: folder.installed ? currentVersionFolder(folder) : undefined,
  }
}
