/**
 * Ends the processes that an agent started if there is no runtime to end them, and names those that could not be ended.
 */
import type { Manifest } from '@svc/blueprint'
import { supervise } from '../../launcher/supervisor.ts'
import { takeOverProcess } from '../../launcher/take-over.ts'
import { scaledMs, waitUntil } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { holderName, tryLockOnFullDisk, whoHolds } from '../../machine/files/lock.ts'
import { isAlive } from '../../machine/process/identity.ts'
import { type AgentProcess, processNames } from '../../machine/process/listed.ts'
import { agentProcesses, signalProcess } from '../../machine/process/mark.ts'
import { readNote } from '../../state/process-note.ts'
import { currentVersionFolder } from '../../state/versions/folders.ts'
import { startOrderOf } from '../../worker/order.ts'
import { Refusal } from '../kit/output.ts'

/** An agent to be stopped. Without a valid manifest its processes get the default time to end. */
export interface StoppableAgent {
  readonly folder: Folder
  readonly manifest?: Manifest | undefined
}

/**
 * Ends the processes of an agent whose runtime is gone, in the same way as the runtime would have ended them. Resolves
 * to false if there are none. `before` is called before the first signal.
 */
export async function endLeftProcesses(
  { folder, manifest }: StoppableAgent,
  { what, before }: { what: string; before?: (() => void) | undefined },
): Promise<boolean> {
  if (!hasLeft(folder)) return false
  const lock = tryLockOnFullDisk(folder, 'runtime', what)
  if (!lock.ok) throw new Refusal(`${holderName(lock.holder)} is running this agent; try again later.`)
  try {
    before?.()
    const order = async () => manifest && startOrderOf(folder, manifest)
    await supervise(folder, takeOverProcess(folder), { order, changed: () => {}, say: () => {} }).stop()
    return true
  } finally {
    lock.held.release()
  }
}

const hasLeft = (folder: Folder): boolean => {
  const state = readNote(folder)?.state
  return (state !== undefined && 'pid' in state && isAlive(state)) || agentProcesses(folder.root).length > 0
}

/**
 * Throws a Refusal that names the processes of the agent that are left, if there are any. `done` says what the command
 * has done by then.
 */
export function requireGone(folder: Folder, done = ''): void {
  refuse(agentProcesses(folder.root), done)
}

function refuse(left: readonly AgentProcess[], done: string): void {
  if (left.length === 0) return
  throw new Refusal(`${done}${done && ' '}The agent left something that could not be ended: ${processNames(left)}.`)
}

/** Waits until a running runtime has ended a paused agent. Refuses if something is left. */
export async function requirePaused(agent: StoppableAgent): Promise<void> {
  const { folder } = agent
  const done = 'Paused.'
  // On a full disk the runtime may be unable to note that it has ended the agent.
  const note = await settled(agent, done, ({ state }) => state.is === 'stopped' || !hasLeft(folder))
  // A runtime of an earlier version leaves processes outside of the agent's process group, so they are ended here.
  // Processes that started after the noted start belong to an agent that somebody resumed meanwhile.
  const isOlder = ({ started }: AgentProcess) => Number(started) <= Number(note?.started ?? 0)
  const left = agentProcesses(folder.root).filter(isOlder)
  if (note) await endThese(left, () => agentProcesses(folder.root).filter(isOlder), stopSeconds(agent))
  else await endLeftProcesses(agent, { what: 'svc pause' })
  refuse(agentProcesses(folder.root).filter(isOlder), done)
}

/**
 * Waits until a running runtime has replaced the agent's processes by those of the current version. Refuses if an old
 * process is left. Resolves to false if the runtime has ended meanwhile.
 */
export async function requireReplaced(agent: StoppableAgent, done: string): Promise<boolean> {
  const { folder } = agent
  for (;;) {
    const note = await settled(
      agent,
      done,
      ({ state, version }) =>
        state.is !== 'stopping' && (!('pid' in state) || !folder.installed || version === currentVersionFolder(folder)),
    )
    if (!note) return false
    const left = agentProcesses(folder.root, note.started)
    // The runtime notes a start before it starts the process. So if the noted start is the same, the processes in
    // `left` are older.
    if (readNote(folder)?.started !== note.started) continue
    refuse(left, done)
    return true
  }
}

const stopSeconds = ({ manifest }: StoppableAgent): number => manifest?.runtime?.stop_seconds ?? 10

type ProcessNote = NonNullable<ReturnType<typeof readNote>>

/**
 * Waits until the runtime has noted a state of the process for which `holds` is true, and returns the note; undefined
 * if the runtime is gone.
 */
async function settled(
  agent: StoppableAgent,
  done: string,
  holds: (note: ProcessNote) => boolean,
): Promise<ProcessNote | undefined> {
  const { folder } = agent
  const seconds = stopSeconds(agent) + 20
  const runs = () => whoHolds(folder, 'runtime')?.what === 'svc run'
  const rests = (): boolean => {
    const note = readNote(folder)
    return note !== undefined && !note.starting && holds(note)
  }
  if (!(await waitUntil(seconds, () => !runs() || rests())))
    throw new Refusal(`${done} Its process has not ended within ${seconds} s; see ${folder.runtimeLog}.`)
  return runs() ? readNote(folder) : undefined
}

/**
 * Ends processes without the runtime: sends SIGTERM, and kills them after `seconds`. A process may start another one
 * just before its end, so the processes found then are killed, too.
 */
async function endThese(
  left: readonly AgentProcess[],
  search: () => readonly AgentProcess[],
  seconds: number,
): Promise<void> {
  for (const each of left) signalProcess(each, 'SIGTERM')
  await waitUntil(scaledMs(seconds) / 1000, () => !left.some(isAlive))
  for (let kills = 0; kills < maxKills; kills++) {
    const rest = search()
    if (rest.length === 0) return
    for (const each of rest) signalProcess(each, 'SIGKILL')
    await waitUntil(2, () => !rest.some(isAlive))
  }
}

/**
 * The maximum number of rounds in which processes are killed. A process that survives all of them is in a system call,
 * or starts others faster than they are killed.
 */
const maxKills = 5
