/**
 * Decides what one report does to its agent's wishes and holds, what the answer says about them (2.7), and which
 * timeline lines it adds. Pure: the report's transaction supplies the row and writes the result.
 */
import type { Answer, Report } from '@svc/protocol'
import type { Served } from '../releases/store.ts'
import { judgeBlueprint } from './blueprint.ts'
import { attemptsIn, attemptsOf, columnsOfWishes, mayGoOut, type WishColumns, type Wishes, wishesIn } from './kept.ts'
import type { JudgedReport, Note, UpdateNote, UpdateRow } from './note.ts'
import { judgeRuntime } from './runtime.ts'

/** The fields of an answer about versions. */
export type AnswerVersions = Pick<Answer, 'desired' | 'runtime' | 'runtime_desired'>

export interface UpdatesAfter {
  answer: AnswerVersions
  /** The blueprint version that was wished for the agent when the report arrived. */
  wished: string | undefined
  write: (WishColumns & { attempts: string | null }) | undefined
  events: UpdateNote[]
}

/**
 * Applies a report to the wishes and holds in its agent's row. With `offers` false, the answer carries only wishes that
 * an earlier answer has already carried.
 */
export function updatesAfter(
  row: UpdateRow,
  report: Report,
  served: Served | undefined,
  now: number,
  offers: boolean,
): UpdatesAfter {
  const attempts = attemptsOf(report)
  if (row.wishes === null && attempts === row.attempts) return unchanged(report, served)
  const wishes = wishesIn(row.wishes)
  const wished = wishes.blueprint?.version
  const events: UpdateNote[] = []
  const note: Note = (of, kind, facts, wish) =>
    events.push({ ...nothing, at: now, of, kind, rollout: wish?.rollout ?? null, ...facts })
  const judging: JudgedReport = { report, before: attemptsIn(row.attempts), served, now, note }
  if (row.blueprint !== null) judgeBlueprint(row, wishes, judging)
  judgeRuntime(wishes, judging)
  if (offers) offer(row, wishes, judging)
  liftOnMachine(wishes)
  const columns = columnsOfWishes(wishes)
  const changed = columns.wishes !== row.wishes || attempts !== row.attempts
  return {
    answer: versionsFor(row, wishes, report, served),
    wished,
    write: changed ? { ...columns, attempts } : undefined,
    events,
  }
}

const nothing = { version: null, from: null, message: null, by: null, rollout: null, since: null } as const

const untouched = { answer: {}, wished: undefined, write: undefined, events: [] } satisfies UpdatesAfter
const unchanged = (report: Report, served: Served | undefined): UpdatesAfter =>
  report.runtime && served
    ? { ...untouched, answer: { runtime: { version: served.version, sha256: served.sha256 } } }
    : untouched

/** Marks the wishes that this answer carries for the first time. */
function offer(row: UpdateRow, wishes: Wishes, { report, now, note }: JudgedReport): void {
  const { blueprint, runtime } = wishes
  if (row.blueprint !== null && blueprint && blueprint.offeredAt === undefined) {
    blueprint.offeredAt = now
    if (blueprint.keptAt === undefined) note('blueprint', 'offered', { version: blueprint.version }, blueprint)
  }
  if (report.runtime && runtime && runtime.offeredAt === undefined && mayGoOut(runtime)) {
    runtime.offeredAt = now
    note('runtime', 'offered', { version: runtime.version, from: report.runtime.version }, runtime)
  }
}

/**
 * Deletes the service's record of the hold on the agent's machine if answers name another version than the held one,
 * because the machine then lifts its hold (D25).
 */
function liftOnMachine(wishes: Wishes): void {
  const { blueprint, blueprintHold } = wishes
  if (blueprint?.offeredAt !== undefined && blueprintHold?.version !== blueprint.version) delete wishes.blueprintHold
}

/**
 * The versions that the answer to a report carries. `runtime` and `runtime_desired` are only in answers to reports that
 * contain `runtime`, and only while the service serves a release (2.7).
 */
function versionsFor(
  row: UpdateRow,
  { blueprint, runtime }: Wishes,
  report: Report,
  served: Served | undefined,
): AnswerVersions {
  const versions: AnswerVersions = {}
  if (row.blueprint !== null && blueprint?.offeredAt !== undefined) {
    versions.desired = { blueprint: row.blueprint, version: blueprint.version }
  }
  if (report.runtime && served) {
    versions.runtime = { version: served.version, sha256: served.sha256 }
    if (runtime?.offeredAt !== undefined && runtime.version === served.version)
      versions.runtime_desired = runtime.version
  }
  return versions
}
