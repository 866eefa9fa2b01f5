/** What is true of the agent's process now, read by somebody who does not own it. */
import type { Folder } from '../files/folder.ts'
import { type Holder, whoHolds } from '../files/lock.ts'
import { type Halt, haltOf, lives } from '../process/identity.ts'
import type { ProcessState } from './moves.ts'
import { readNote } from './note.ts'

export interface ProcessNow {
  /** As the runtime noted it last. */
  readonly state: ProcessState
  /** Its process is there at this moment. */
  readonly alive: boolean
  /** It is there and does nothing. */
  readonly halt: Halt | undefined
  /** The runtime that watches over it. */
  readonly runtime: Holder | undefined
}

export function processNow(folder: Folder): ProcessNow | undefined {
  const note = readNote(folder)
  if (!note) return undefined
  const holder = whoHolds(folder, 'runtime')
  const { state } = note
  const alive = 'pid' in state && lives(state)
  const halt = alive ? haltOf(state.pid) : undefined
  return { state, alive, halt, runtime: holder?.what === 'svc run' ? holder : undefined }
}

/** Whether the agent runs, and if not why: one word for programs. */
export function wordFor({
  state,
  alive,
  runtime,
}: ProcessNow): 'running' | 'stopping' | 'waiting' | 'stopped' | 'unwatched' | 'lost' {
  if (runtime) return state.is
  if (alive) return 'unwatched'
  return state.is === 'stopped' ? 'stopped' : 'lost'
}
