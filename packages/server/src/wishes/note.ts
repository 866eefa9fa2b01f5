/** What one report is judged by, and the lines that it adds to the timeline. */
import type { RolloutKind, UpdateEvent, UpdateKind } from '@svc/api'
import type { Report } from '@svc/protocol'
import type { Served } from '../releases/store.ts'
import type { Attempts, VersionWish } from './kept.ts'

/** Of the agent's row. */
export interface UpdateRow {
  blueprint: string | null
  /** As last reported, else as installed. */
  running: string | null
  wishes: string | null
  attempts: string | null
}

/** A line of the timeline, to be written. */
export interface UpdateNote extends Omit<UpdateEvent, 'id' | 'serviceAway'> {
  /** Of an outcome: when its attempt may have begun. */
  since: number | null
}

/** What a report is judged with. */
export interface Judging {
  readonly report: Report
  /** What the report before it said of its attempts. */
  readonly before: Attempts
  readonly served: Served | undefined
  readonly now: number
  readonly note: Note
}

export type Note = (of: RolloutKind, kind: UpdateKind, facts: Partial<UpdateNote>, wish?: VersionWish) => void
