/** The facts with which a report is judged, and the timeline lines that follow from it. */
import type { RolloutKind, UpdateEvent, UpdateKind } from '@svc/api'
import type { Report } from '@svc/protocol'
import type { Served } from '../releases/store.ts'
import type { Attempts, VersionWish } from './kept.ts'

/** The columns of the agent's row with which its report is judged. */
export interface UpdateRow {
  blueprint: string | null
  /** The blueprint version that runs: the one last reported, or before that the installed one. */
  running: string | null
  wishes: string | null
  attempts: string | null
}

/** A timeline line to be written. */
export interface UpdateNote extends Omit<UpdateEvent, 'id' | 'serviceAway'> {
  /** For a line about an outcome: the earliest time at which the attempt may have started. */
  since: number | null
}

/** The facts with which a report is judged. */
export interface Judging {
  readonly report: Report
  /** The outcomes and the runtime that the previous report contained. */
  readonly before: Attempts
  readonly served: Served | undefined
  readonly now: number
  readonly note: Note
}

export type Note = (of: RolloutKind, kind: UpdateKind, facts: Partial<UpdateNote>, wish?: VersionWish) => void
