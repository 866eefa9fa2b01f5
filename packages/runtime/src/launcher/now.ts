/** What is true of the agent's process now, read by somebody who does not own it. */
import type { Folder } from '../files/folder.ts'
import { type Holder, whoHolds } from '../files/lock.ts'
import { lives } from '../process/identity.ts'
import type { ProcessState } from './moves.ts'
import { readNote } from './note.ts'

export interface ProcessNow {
  /** As the runtime noted it last. */
  readonly state: ProcessState
  /** Its process is there at this moment. */
  readonly alive: boolean
  /** The runtime that watches over it. */
  readonly runtime: Holder | undefined
}

export function processNow(folder: Folder): ProcessNow | undefined {
  const note = readNote(folder)
  if (!note) return undefined
  const holder = whoHolds(folder, 'runtime')
  const { state } = note
  return { state, alive: 'pid' in state && lives(state), runtime: holder?.what === 'svc run' ? holder : undefined }
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
