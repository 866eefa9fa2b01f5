/**
 * What one report does to its agent's wishes and holds, what the answer says of them (2.7), and what the timeline gains.
 * Pure: the report's transaction gives the row and writes what comes back.
 */
import type { Answer, Applied, Report } from '@svc/protocol'
import type { RolloutKind, UpdateKind } from '../api.ts'
import type { Served } from '../releases/store.ts'
import { judgeWish } from './judge.ts'
import {
  type Attempts,
  attemptsIn,
  attemptsOf,
  type BlueprintWish,
  columnsOfWishes,
  isHeld,
  sameAttempt,
  type Wish,
  type WishColumns,
  type Wishes,
  wishesIn,
} from './kept.ts'

/** Of the agent's row. */
export interface UpdateRow {
  blueprint: string | null
  /** As last reported, else as installed. */
  running: string | null
  wishes: string | null
  attempts: string | null
}

/** What an answer says beside commands and interval. */
export type Told = Pick<Answer, 'desired' | 'runtime' | 'runtime_desired'>

export interface UpdateNote {
  at: number
  of: RolloutKind
  kind: UpdateKind
  version: string | null
  from: string | null
  message: string | null
  by: string | null
  rollout: string | null
  /** Of an outcome: when its attempt may have begun. */
  since: number | null
}

export interface UpdatesAfter {
  told: Told
  /** The blueprint version that was wished when the report came. */
  wished: string | undefined
  write: (WishColumns & { attempts: string | null }) | undefined
  events: UpdateNote[]
}

/** `offers`: this node may tell an agent of a wish that it has not heard of yet. */
export function updatesAfter(
  row: UpdateRow,
  report: Report,
  served: Served | undefined,
  now: number,
  offers: boolean,
): UpdatesAfter {
  const attempts = attemptsOf(report)
  if (row.wishes === null && attempts === row.attempts) return told(report, served)
  const wishes = wishesIn(row.wishes)
  const wished = wishes.blueprint?.version
  const before = attemptsIn(row.attempts)
  const events: UpdateNote[] = []
  const note: Note = (of, kind, facts, wish) =>
    events.push({ ...nothing, at: now, of, kind, rollout: wish?.rollout ?? null, ...facts })
  if (row.blueprint !== null) judgeBlueprint(row, wishes, report, before.applied, now, note)
  judgeRuntime(wishes, report, before, served, now, note)
  if (offers) offer(row, wishes, report, now, note)
  liftOnMachine(wishes)
  const columns = columnsOfWishes(wishes)
  const changed = columns.wishes !== row.wishes || attempts !== row.attempts
  return {
    told: tell(row, wishes, report, served),
    wished,
    write: changed ? { ...columns, attempts } : undefined,
    events,
  }
}

type Note = (of: RolloutKind, kind: UpdateKind, facts: Partial<UpdateNote>, wish?: Wish) => void
const nothing = { version: null, from: null, message: null, by: null, rollout: null, since: null } as const

const untouched = { told: {}, wished: undefined, write: undefined, events: [] } satisfies UpdatesAfter
const told = (report: Report, served: Served | undefined): UpdatesAfter =>
  report.runtime && served
    ? { ...untouched, told: { runtime: { version: served.version, sha256: served.sha256 } } }
    : untouched

/** D24: nothing ends the wish; what became of it is noted, and what the machine holds from now on (D25). */
function judgeBlueprint(
  row: UpdateRow,
  wishes: Wishes,
  report: Report,
  before: Applied | undefined,
  now: number,
  note: Note,
): void {
  const { applied } = report
  const wish = wishes.blueprint
  const running = applied?.version ?? report.agent?.version
  const message = applied?.message ?? null
  const known = before ?? wish?.mark
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
    }
    return
  }
  const from = row.running !== null && row.running !== running ? row.running : null
  if (wish && running === wish.version) {
    if (wish.keptAt !== undefined) return
    wish.keptAt = now
    if (wishes.blueprintHold?.version === running) delete wishes.blueprintHold
    note('blueprint', 'kept', { version: running, from, message: fresh ? message : null }, wish)
  } else if (running !== undefined && from !== null) {
    note('blueprint', fresh ? 'kept' : 'changed', { version: running, from, message: fresh ? message : null })
  }
}

/** Which version an attempt that did not end well was about; null when nothing tells. */
function triedVersion(row: UpdateRow, wish: BlueprintWish | undefined, applied: Applied): string | null {
  const ranUntilNow = applied.outcome === 'rolled_back' && applied.version !== undefined ? row.running : null
  if (ranUntilNow !== null && ranUntilNow !== applied.version) return ranUntilNow
  if (!wish) return null
  const { version, earlier } = wish
  // What runs is not what failed.
  if (version === applied.version) return earlier ?? null
  const isEarlier = earlier !== undefined && names(applied.message, earlier) && !names(applied.message, version)
  return isEarlier ? earlier : version
}

/** Whether a message names this version as a word of its own (D32: ours name both). */
const names = (message: string | undefined, version: string): boolean =>
  (message ?? '').split(/[^0-9A-Za-z.+-]+/).some((word) => word.replace(/[.]+$/, '') === version)

/** 3.4, row by row. */
function judgeRuntime(
  wishes: Wishes,
  report: Report,
  before: Attempts,
  served: Served | undefined,
  now: number,
  note: Note,
): void {
  const { runtime } = report
  const wish = wishes.runtime
  if (wishes.runtimeHold && served && !isHeld(wishes.runtimeHold, served)) delete wishes.runtimeHold
  if (!wish) {
    noteUnwished(before, runtime, note)
    return
  }
  const message = runtime?.applied?.message ?? null
  const { version } = wish
  const since = wish.offeredAt ?? null
  switch (judgeWish(wish, runtime, served, now)) {
    case 'dropped': {
      const why = served ? `The service serves ${served.version} now.` : 'The service serves no runtime any more.'
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
      note('runtime', 'held', { version, message: 'Until the service serves another version.' }, wish)
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

/** What a person did on the machine, or what an earlier wish still brought. */
function noteUnwished(before: Attempts, runtime: Report['runtime'], note: Note): void {
  if (!before.runtime || !runtime) return
  const { applied, version } = runtime
  const from = before.runtime.version === version ? null : before.runtime.version
  if (applied?.outcome !== undefined && !sameAttempt(applied, before.runtime.applied)) {
    const { outcome, message = null } = applied
    const about = outcome === 'ok' ? { version, from } : { version: from, from: version }
    note('runtime', outcome === 'ok' ? 'kept' : outcome, { ...about, message })
  } else if (from !== null) note('runtime', 'changed', { version, from })
}

/** The first answer that carries a wish. */
function offer(row: UpdateRow, wishes: Wishes, report: Report, now: number, note: Note): void {
  const { blueprint, runtime } = wishes
  if (row.blueprint !== null && blueprint && blueprint.offeredAt === undefined) {
    blueprint.offeredAt = now
    if (blueprint.keptAt === undefined) note('blueprint', 'offered', { version: blueprint.version }, blueprint)
  }
  if (report.runtime && runtime && runtime.offeredAt === undefined && runtime.grantedAt !== undefined) {
    runtime.offeredAt = now
    note('runtime', 'offered', { version: runtime.version, from: report.runtime.version }, runtime)
  }
}

/** D25: an answer that names another version lifts what the machine holds. */
function liftOnMachine(wishes: Wishes): void {
  const { blueprint, blueprintHold } = wishes
  if (blueprint?.offeredAt !== undefined && blueprintHold?.version !== blueprint.version) delete wishes.blueprintHold
}

/** 2.7: `runtime` and `runtime_desired` only to a report that carries `runtime`, absent when none is served. */
function tell(row: UpdateRow, { blueprint, runtime }: Wishes, report: Report, served: Served | undefined): Told {
  const told: Told = {}
  if (row.blueprint !== null && blueprint?.offeredAt !== undefined) {
    told.desired = { blueprint: row.blueprint, version: blueprint.version }
  }
  if (report.runtime && served) {
    told.runtime = { version: served.version, sha256: served.sha256 }
    if (runtime?.offeredAt !== undefined && runtime.version === served.version) told.runtime_desired = runtime.version
  }
  return told
}
