/**
 * Judges what a report does to the wish and the hold of its agent's runtime (3.4), and which timeline lines it adds.
 * Pure.
 */
import type { Report } from '@svc/protocol'
import { judgeWish } from './judge.ts'
import { type Attempts, isHeld, sameAttempt, type Wishes } from './kept.ts'
import type { JudgedReport, Note } from './note.ts'

/** Applies a report to the wish and the hold of its agent's runtime, by the table of section 3.4. */
export function judgeRuntime(wishes: Wishes, { report, before, served, now, note }: JudgedReport): void {
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

/**
 * Adds a timeline line about a change of the runtime for which there is no wish now: a person changed it on the
 * machine, or it is the late outcome of an earlier wish.
 */
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
