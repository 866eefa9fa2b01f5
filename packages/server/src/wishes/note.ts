/** The input for judging one report, and the timeline lines that it adds. */
import type { RolloutKind, UpdateEvent, UpdateKind } from '@svc/api'
import type { Report } from '@svc/protocol'
import type { Served } from '../releases/store.ts'
import type { Attempts, VersionWish } from './kept.ts'

/** The columns of the agent's row that are needed. */
export interface UpdateRow {
  blueprint: string | null
  /** The running blueprint version, as last reported, else as installed. */
  running: string | null
  wishes: string | null
  attempts: string | null
}

/** A timeline line to be written. */
export interface UpdateNote extends Omit<UpdateEvent, 'id' | 'serviceAway'> {
  /** For an outcome: the earliest time at which its attempt may have started. */
  since: number | null
}

/** The facts with which a report is judged. */
export interface Judging {
  readonly report: Report
  /** The attempts as the previous report described them. */
  readonly before: Attempts
  readonly served: Served | undefined
  readonly now: number
  readonly note: Note
}

export type Note = (of: RolloutKind, kind: UpdateKind, facts: Partial<UpdateNote>, wish?: VersionWish) => void
