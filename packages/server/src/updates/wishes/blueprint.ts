/** Judges what a report means for the blueprint version that is requested for its agent (3.3). Pure. */
import { type Applied, isVersion } from '@svc/protocol'
import { type BlueprintWish, sameAttempt, type Wishes } from './kept.ts'
import type { JudgedReport, UpdateRow } from './note.ts'

/**
 * Applies a report to the wish and the hold of its agent's blueprint version: records how an attempt ended, and which
 * version the machine has put on hold (D25). A report never ends a wish for a blueprint version (D24).
 */
export function judgeBlueprint(row: UpdateRow, wishes: Wishes, { report, before, now, note }: JudgedReport): void {
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

/**
 * The blueprint version that the agent tried in an attempt that failed or was rolled back; null when it cannot be
 * determined. It is not the running version. A version that the message names takes precedence, since there may have
 * been two attempts between two reports.
 */
function triedVersion(row: UpdateRow, wish: BlueprintWish | undefined, applied: Applied): string | null {
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
