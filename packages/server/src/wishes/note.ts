/** What one report is judged by, and the lines that it adds to the timeline. */
import type { RolloutKind, UpdateEvent, UpdateKind } from '@svc/api'
import type { VersionWish } from './kept.ts'

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

export type Note = (of: RolloutKind, kind: UpdateKind, facts: Partial<UpdateNote>, wish?: VersionWish) => void
