/** Finds the agent's process that an earlier runtime left, from its note and from the processes that live. */
import { eventTime } from '@svc/protocol'
import { scaledMs } from '../machine/base/time.ts'
import type { Folder } from '../machine/files/folder.ts'
import { isAlive } from '../machine/process/identity.ts'
import { oldestProcess } from '../machine/process/listed.ts'
import { agentProcesses, findMarked } from '../machine/process/mark.ts'
import { type ProcessState, readNote } from '../state/process-note.ts'
import { currentVersionFolder } from '../state/versions/folders.ts'
import { clock } from './clock.ts'

/** The state of the agent's process as a new runtime finds it. */
export interface FoundState {
  readonly state: ProcessState
  readonly started?: string | undefined
  /** The version of the agent from which its process was started. */
  readonly version?: string | undefined
  /**
   * The log of the manifest into which the agent's process prints; absent if it prints into the runtime's file
   * `.svc/log/agent.log`.
   */
  readonly output?: string | undefined
  /** True if the agent's process runs although the note does not say so. */
  readonly unnoted?: boolean
}

/** Replaces `since` by the present time if it is in the future, because the clock was set back. */
const onThisClock = <T extends object>(state: T, now: number): T =>
  'since' in state && typeof state.since === 'number' ? { ...state, since: eventTime(state.since, now) } : state

/**
 * The state of the agent's process after an earlier runtime has ended: `running` if the agent's process still lives,
 * `stopping` if only other processes of the agent live, and otherwise `waiting`, with a start that is due.
 */
export function takeOverProcess(folder: Folder): FoundState {
  const note = readNote(folder)
  const now = clock()
  if (!note) return { state: { is: 'waiting', crashes: 0, startAt: now } }
  const { started, output } = note
  const state = onThisClock(note.state, now)
  // Old runtimes, which could not update agents, noted no version. The version is then the one that `current` leads to.
  const version = note.version ?? (folder.installed ? currentVersionFolder(folder) : undefined)
  const known = { started, version, output }
  const marked = note.starting && started !== undefined ? findMarked(folder.root, started) : undefined
  if (marked) {
    const since = eventTime(Number(started) * 1000, now)
    return { state: { is: 'running', ...marked, since, crashes: 0, adopted: true }, ...known, unnoted: true }
  }
  if ('pid' in state && isAlive(state)) return { state: { ...state, is: 'running', adopted: true }, ...known }
  const left = 'pid' in state ? agentProcesses(folder.root) : []
  const copy = oldestProcess(left.filter((each) => each.started === started))
  if (state.is === 'running' && state.background && copy)
    return { state: { ...state, pid: copy.pid, start: copy.start, adopted: true }, ...known }
  if ('pid' in state && left.length > 0) {
    const ending = { because: 'ended', killAt: now + scaledMs(10), exit: { at: now } } as const
    return { state: { ...state, is: 'stopping', ...ending }, ...known }
  }
  const crashes = 'crashes' in state ? state.crashes : 0
  const exit = 'exit' in state ? state.exit : undefined
  return { state: { is: 'waiting', crashes, startAt: now, ...(exit && { exit }) }, ...known }
}
