/**
 * The states of the trial of a new runtime file (3.5, D38), as pure functions. `trying`: the new file is in place and
 * has not reported yet. `kept`: the new file has reported, but until the trial ends, a hang or repeated crashes still
 * roll it back. `undoing`: the previous file is being put back.
 */

import type { RuntimeNote, Trial } from '../state/versions/runtime-note.ts'
import { attemptOf, type VersionRef } from '../state/versions/version-ref.ts'

/** The two files of a swap: `from` is the one before, `to` the one after. */
type SwappedVersions = Pick<Trial, 'from' | 'to'>
const swappedIn = ({ from, to }: SwappedVersions): SwappedVersions => ({ from, to })

export type TrialEvent =
  | { readonly is: 'swap'; readonly from: VersionRef; readonly to: VersionRef }
  /**
   * The new file is about to be started. `process`: this is the first start in a new process of the launcher.
   * `counted`: `start.cjs` has already counted this start.
   */
  | { readonly is: 'start'; readonly process?: boolean; readonly counted?: boolean }
  /** The process was stopped cleanly, so its start does not count as a failed one. */
  | { readonly is: 'stopped' }
  | { readonly is: 'good' }
  | { readonly is: 'hung'; readonly reason: string }
  /** The five minutes of the trial are over. */
  | { readonly is: 'over' }
  | { readonly is: 'restored' }
  /** A new process, such as the launcher after a kill, has found the runtime's file with this checksum in place. */
  | { readonly is: 'found'; readonly inPlace: string }
  /** A person asked to go from the file `to` back to `from`. `inPlace` is the checksum of the file in place. */
  | {
      readonly is: 'asked'
      readonly from: VersionRef
      readonly to: VersionRef
      readonly by: string
      readonly inPlace: string
    }
  /** The previous file no longer exists or was replaced by another file, so the new file stays. */
  | { readonly is: 'lost' }

/** The maximum number of starts of a file on trial. Instead of one more start, the previous file is started. */
export const maxStarts = 3

/**
 * Applies an event to the note about the runtime's own file. If nothing changes, the same object is returned. `last`
 * says how the last worker ended; it becomes part of the reason of a rollback.
 */
export function judgeTrial(note: RuntimeNote, event: TrialEvent, now: number, last = ''): RuntimeNote {
  const { trial } = note
  if (event.is === 'swap') return trial ? note : begin(note, event, now)
  if (event.is === 'asked') {
    // An outdated request names another file than the one on trial or, without a trial, the one in place.
    const isOutdated = event.to.sha256 !== (trial?.to.sha256 ?? event.inPlace)
    return isOutdated ? note : undo(note, trial ?? event, `put back by ${event.by} on this machine`, now)
  }
  if (!trial) return note
  if (event.is === 'found') return found(note, trial, event.inPlace, now)
  if (trial.is === 'undoing') {
    if (event.is === 'restored') return noteAfterUndo(trial)
    return event.is === 'lost' ? noteWithoutPrevious(note, trial, now) : note
  }
  switch (event.is) {
    case 'start': {
      if (!event.counted && trial.starts >= maxStarts)
        return undo(note, trial, `${maxStarts} starts did not last${last && `: ${last}`}`, now)
      const starts = trial.starts + (event.counted ? 0 : 1)
      return { ...note, trial: { ...trial, starts, ...(event.process && anotherProcess(trial, now)) } }
    }
    case 'stopped':
      return { ...note, trial: { ...trial, starts: Math.max(0, trial.starts - 1) } }
    case 'good':
      return trial.is === 'kept'
        ? note
        : {
            trial: { ...trial, is: 'kept' },
            applied: attemptOf({ ...swappedIn(trial), outcome: 'ok', works: trial.to, at: now, reason: 'it reported' }),
          }
    case 'hung':
      return undo(note, trial, event.reason, now)
    case 'over': {
      if (trial.is === 'trying')
        return undo(note, trial, `no report of it was answered in five minutes${last && `: ${last}`}`, now)
      const { trial: _, ...rest } = note
      return rest
    }
    default:
      return note
  }
}

const begin = (note: RuntimeNote, { from, to }: SwappedVersions, now: number): RuntimeNote => ({
  ...note,
  trial: { is: 'trying', from, to, starts: 0, began: now, processes: 1 },
})

const undo = (note: RuntimeNote, { from, to }: SwappedVersions, reason: string, at: number): RuntimeNote => ({
  ...note,
  trial: { is: 'undoing', from, to, reason, at },
})

/**
 * A trial continues in a new process, for example after a reboot. The first time this happens, the trial gets five more
 * minutes (D38).
 */
function anotherProcess({ processes, began }: { processes: number; began: number }, now: number) {
  return { processes: processes + 1, began: processes === 1 ? now : Math.min(began, now) }
}

function noteAfterUndo(trial: Extract<Trial, { is: 'undoing' }>): RuntimeNote {
  const { from, to, reason, at } = trial
  return {
    applied: attemptOf({ outcome: 'rolled_back', works: from, from, to, at, reason }),
    hold: { version: to.version, reason, running: from.sha256 },
  }
}

function noteWithoutPrevious(
  { hold }: RuntimeNote,
  trial: Extract<Trial, { is: 'undoing' }>,
  now: number,
): RuntimeNote {
  const why = `${trial.reason}; it stays, since the previous file is gone`
  return {
    ...(hold && { hold }),
    applied: attemptOf({ ...swappedIn(trial), outcome: 'failed', works: trial.to, at: now, reason: why }),
  }
}

/**
 * Compares the file in place with the two files of the trial. The previous file is in place if a kill came before the
 * rename of the swap or after the rename of the rollback, or if a person put the file back. Any other file comes from a
 * person (docs/decisions/kills.md).
 */
function found(note: RuntimeNote, trial: Trial, inPlace: string, now: number): RuntimeNote {
  const { trial: _, hold, ...rest } = note
  if (inPlace === trial.to.sha256) return note
  if (inPlace !== trial.from.sha256) return rest // a person replaced the file by hand, which also lifts the hold
  if (trial.is === 'undoing') return noteAfterUndo(trial)
  if (trial.starts > 0)
    return noteAfterUndo({ ...trial, is: 'undoing', at: now, reason: 'the previous file was put back by hand' })
  const why = 'interrupted before the swap'
  return {
    ...(hold && { hold }),
    applied: attemptOf({ ...swappedIn(trial), outcome: 'failed', works: trial.from, at: now, reason: why }),
  }
}
