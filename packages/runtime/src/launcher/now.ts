/** Reads the current state of the agent's process, for commands such as `svc status`. */
import type { Folder } from '../machine/files/folder.ts'
import { type Holder, whoHolds } from '../machine/files/lock.ts'
import { type Halt, haltOf, isAlive } from '../machine/process/identity.ts'
import { type ProcessState, readNote } from '../state/process-note.ts'

export interface ProcessNow {
  /** The state of the agent's process as the runtime noted it last. */
  readonly state: ProcessState
  /** True if the agent's process exists at this moment. */
  readonly alive: boolean
  /** Why the agent's process does nothing although it is alive; otherwise undefined. */
  readonly halt: Halt | undefined
  /** The runtime that supervises the process; undefined if none is running. */
  readonly runtime: Holder | undefined
}

export function processNow(folder: Folder): ProcessNow | undefined {
  const note = readNote(folder)
  if (!note) return undefined
  const holder = whoHolds(folder, 'runtime')
  const { state } = note
  const alive = 'pid' in state && isAlive(state)
  const halt = alive ? haltOf(state.pid) : undefined
  return { state, alive, halt, runtime: holder?.what === 'svc run' ? holder : undefined }
}

/** The noted state of the agent's process; undefined if it names a process that is gone, or nothing is noted. */
export function stateNow(folder: Folder): ProcessState | undefined {
  const now = processNow(folder)
  return now && ('pid' in now.state && !now.alive ? undefined : now.state)
}

/** Sums up the state of the agent in one word for machine-readable output. */
export function processWord({
  state,
  alive,
  runtime,
}: ProcessNow): 'running' | 'stopping' | 'waiting' | 'stopped' | 'unwatched' | 'lost' {
  if (runtime) return state.is
  if (alive) return 'unwatched'
  return state.is === 'stopped' ? 'stopped' : 'lost'
}
