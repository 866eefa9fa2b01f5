/**
 * Types for judging what a report means for updates: the facts that are compared, and the timeline lines that result.
 */
import type { RolloutKind, UpdateEvent, UpdateKind } from '@svc/api'
import type { Report } from '@svc/protocol'
import type { ServedRelease } from '../releases/store.ts'
import type { UpdateAttempts, VersionWish } from './kept.ts'

/** The columns of the agent's row that are needed to judge what its report means for updates. */
export interface UpdateRow {
  blueprint: string | null
  /** The blueprint version that runs: the one last reported, or before the first report the installed one. */
  running: string | null
  wishes: string | null
  attempts: string | null
}

/** A line that will be added to the timeline of an agent's updates. */
export interface UpdateNote extends Omit<UpdateEvent, 'id' | 'serviceAway'> {
  /** For a line about an outcome: the earliest time at which the attempt may have started. */
  since: number | null
}

/** The facts by which the service judges what a report means for updates. */
export interface JudgedReport {
  readonly report: Report
  /** The outcomes and the runtime in the report before this one. */
  readonly before: UpdateAttempts
  readonly served: ServedRelease | undefined
  readonly now: number
  readonly note: AddUpdateNote
}

/** Adds a line to the timeline of an agent's updates. */
export type AddUpdateNote = (of: RolloutKind, kind: UpdateKind, facts: Partial<UpdateNote>, wish?: VersionWish) => void
