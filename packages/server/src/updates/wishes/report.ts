/**
 * Decides what one report does to its agent's wishes and holds, what the answer says about them (2.7), and which
 * timeline lines it adds. Pure: the report's transaction supplies the row and writes the result.
 */
import { type Answer, type AppliedUpdate, isVersion, type Report } from '@svc/protocol'
import type { ServedRelease } from '../releases/store.ts'
import { judgeRuntimeWish } from './judge.ts'
import {
  attemptsColumn,
  type BlueprintWish,
  columnsOfWishes,
  isReleaseHeld,
  mayBeOffered,
  readAttempts,
  sameAttempt,
  type UpdateAttempts,
  type WishColumns,
  type Wishes,
  wishesIn,
} from './kept.ts'
import type { AddUpdateNote, JudgedReport, UpdateNote, UpdateRow } from './note.ts'

/** The fields of an answer about versions. */
export type AnswerVersions = Pick<Answer, 'desired' | 'runtime' | 'runtime_desired'>

/** The effects of a report on its agent's wishes, on the answer, and on the timeline. */
export interface UpdateEffects {
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
export function updateEffectsOf(
  row: UpdateRow,
  report: Report,
  served: ServedRelease | undefined,
  now: number,
  offers: boolean,
): UpdateEffects {
  const attempts = attemptsColumn(report)
  if (row.wishes === null && attempts === row.attempts) return unchangedEffects(report, served)
  const wishes = wishesIn(row.wishes)
  const wished = wishes.blueprint?.version
  const events: UpdateNote[] = []
  const note: AddUpdateNote = (of, kind, facts, wish) =>
    events.push({ ...emptyNote, at: now, of, kind, rollout: wish?.rollout ?? null, ...facts })
  const judged: JudgedReport = { report, before: readAttempts(row.attempts), served, now, note }
  if (row.blueprint !== null) judgeBlueprint(row, wishes, judged)
  judgeRuntime(wishes, judged)
  if (offers) offer(row, wishes, judged)
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

const emptyNote = { version: null, from: null, message: null, by: null, rollout: null, since: null } as const

const noUpdates = { answer: {}, wished: undefined, write: undefined, events: [] } satisfies UpdateEffects
const unchangedEffects = (report: Report, served: ServedRelease | undefined): UpdateEffects =>
  report.runtime && served
    ? { ...noUpdates, answer: { runtime: { version: served.version, sha256: served.sha256 } } }
    : noUpdates

/** Marks the wishes that this answer carries for the first time. */
function offer(row: UpdateRow, wishes: Wishes, { report, now, note }: JudgedReport): void {
  const { blueprint, runtime } = wishes
  if (row.blueprint !== null && blueprint && blueprint.offeredAt === undefined) {
    blueprint.offeredAt = now
    if (blueprint.keptAt === undefined) note('blueprint', 'offered', { version: blueprint.version }, blueprint)
  }
  if (report.runtime && runtime && runtime.offeredAt === undefined && mayBeOffered(runtime)) {
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
  served: ServedRelease | undefined,
): AnswerVersions {
  const versions: AnswerVersions = {}
  if (row.blueprint !== null && blueprint?.offeredAt !== undefined) {
    const now = blueprint.hurriedAt !== undefined
    versions.desired = { blueprint: row.blueprint, version: blueprint.version, ...(now && { now }) }
  }
  if (report.runtime && served) {
    versions.runtime = { version: served.version, sha256: served.sha256 }
    if (runtime?.offeredAt !== undefined && runtime.version === served.version)
      versions.runtime_desired = runtime.version
  }
  return versions
}

/**
 * Applies a report to the wish and the hold of its agent's blueprint version (3.3). Records how an attempt ended, and
 * which version the machine has put on hold (D25). A report never ends a wish for a blueprint version (D24).
 */
function judgeBlueprint(row: UpdateRow, wishes: Wishes, { report, before, now, note }: JudgedReport): void {
  const { applied } = report
  const wish = wishes.blueprint
  const says = applied?.version ?? report.agent?.version
  const running = says !== undefined && isVersion(says) ? says : undefined
  const message = applied?.message ?? null
  const known = before.applied ?? wish?.mark
  const fresh = applied?.outcome !== undefined && (known != null || wish !== undefined) && !sameAttempt(applied, known)
  if (fresh && (applied.outcome === 'rolled_back' || applied.outcome === 'failed')) {
    const { outcome } = applied
    const version = triedVersion(row, wish, applied)
    const about = wish?.version === version ? wish : undefined
    note('blueprint', outcome, { version, from: running ?? null, message, since: about?.offeredAt ?? null }, about)
    if (version !== null) wishes.blueprintHold = { version, outcome, message, at: now }
    if (about) {
      delete about.keptAt
      delete about.fetchedAt
      if (outcome === 'rolled_back') delete about.hurriedAt // a failed download is tried again without waiting
    }
    return
  }
  const from = row.running !== null && row.running !== running ? row.running : null
  if (wish && running === wish.version) {
    if (wish.keptAt !== undefined) return
    wish.keptAt = now
    delete wish.hurriedAt
    if (wishes.blueprintHold?.version === running) delete wishes.blueprintHold
    note('blueprint', 'kept', { version: running, from, message: fresh ? message : null }, wish)
  } else if (running !== undefined && from !== null) {
    note('blueprint', fresh ? 'kept' : 'changed', { version: running, from, message: fresh ? message : null })
  }
}

/**
 * The blueprint version that the agent tried in an attempt that failed or was rolled back; null if it cannot be
 * determined. There may have been two attempts since the last report, so a version that the message names takes
 * precedence.
 */
function triedVersion(row: UpdateRow, wish: BlueprintWish | undefined, applied: AppliedUpdate): string | null {
  const ranUntilNow = applied.outcome === 'rolled_back' && applied.version !== undefined ? row.running : null
  const could = [ranUntilNow, wish?.version, wish?.earlier].filter((v) => v != null && v !== applied.version)
  return could.find((v) => v != null && names(applied.message, v)) ?? could[0] ?? null
}

/**
 * True when the message contains this version as a separate word. The messages of our runtime name the version before
 * and the version after an update (D32).
 */
const names = (message: string | undefined, version: string): boolean =>
  (message ?? '').split(/[^0-9A-Za-z.+-]+/).some((word) => word.replace(/[.]+$/, '') === version)

const heldSays = 'Until the service serves another release or an admin lifts the hold.'

/** Applies a report to the wish and the hold of its agent's runtime, by the table of section 3.4. */
function judgeRuntime(wishes: Wishes, { report, before, served, now, note }: JudgedReport): void {
  const { runtime } = report
  const wish = wishes.runtime
  if (wishes.runtimeHold && served && !isReleaseHeld(wishes.runtimeHold, served)) delete wishes.runtimeHold
  if (!wish) {
    noteUnwished(before, runtime, note)
    return
  }
  const message = runtime?.applied?.message ?? null
  const { version } = wish
  const since = wish.offeredAt ?? null
  switch (judgeRuntimeWish(wish, runtime, served, now)) {
    case 'dropped': {
      const why = served ? `The service serves ${served.version} now.` : 'The service no longer serves a runtime.'
      delete wishes.runtime
      note('runtime', 'dropped', { version, message: why }, wish)
      break
    }
    case 'met':
      delete wishes.runtime
      delete wishes.runtimeHold
      note('runtime', 'kept', { version, from: runtime?.previous ?? null, message, since }, wish)
      break
    case 'held': {
      const outcome = runtime?.applied?.outcome === 'failed' ? 'failed' : 'rolled_back'
      const from = runtime?.version ?? null
      delete wishes.runtime
      if (served) {
        const { serial } = served
        wishes.runtimeHold = { version, outcome, message, at: now, serial, ...(since !== null && { since }) }
      }
      note('runtime', outcome, { version, from, message, since }, wish)
      note('runtime', 'held', { version, message: heldSays }, wish)
      break
    }
    case 'stands':
      if (!runtime) break
      if (runtime.version !== version) delete wish.runsSince
      else if (wish.runsSince === undefined) {
        wish.runsSince = now
        note('runtime', 'trying', { version, from: runtime.previous ?? null }, wish)
      }
  }
}

/**
 * Adds a timeline line about a change of the runtime for which there is no wish now. Either a person changed the
 * runtime on the machine, or the change is the late outcome of an earlier wish.
 */
function noteUnwished(before: UpdateAttempts, runtime: Report['runtime'], note: AddUpdateNote): void {
  if (!before.runtime || !runtime) return
  const { applied, version } = runtime
  const from = before.runtime.version === version ? null : before.runtime.version
  if (applied?.outcome !== undefined && !sameAttempt(applied, before.runtime.applied)) {
    const { outcome, message = null } = applied
    const about = outcome === 'ok' ? { version, from } : { version: from, from: version }
    note('runtime', outcome === 'ok' ? 'kept' : outcome, { ...about, message })
  } else if (from !== null) note('runtime', 'changed', { version, from })
}
