/**
 * Decides which facts each event of an update writes into the journal, besides the next state. The functions are pure:
 * the time is an argument, in Unix milliseconds.
 */
import { type Level, limits } from '@svc/protocol'
import { attemptOf, type VersionRef } from '../../state/versions/version-ref.ts'
import type { Update } from './journal.ts'
import { endOutcomes, move, type UpdateEvent } from './moves.ts'
import { stillCounted } from './wish.ts'

/** The result of a step of an update: an event, and a reason for people. */
export interface UpdateStepResult {
  readonly event: UpdateEvent
  readonly why?: string
  /**
   * The version that the event `wanted` or `present` starts to install. After the download, the event `done` carries
   * this version with the checksum of its bundle.
   */
  readonly to?: VersionRef
  /** The level of the agent; present in the event `done` at the end of the trial. */
  readonly level?: Level
  /** The person's request that this result answers. */
  readonly asked?: Update['asked']
}

/**
 * The wait in milliseconds before an update that failed for a passing reason is tried again (D26), not yet multiplied
 * by SVC_TIME_SCALE. It varies by up to a tenth.
 */
const retryMs = (chance: number): number => 1000 * limits.fetchRetrySeconds * (0.9 + 0.2 * chance)

/**
 * Returns the journal as it is after a step of an update. `chance` is a number from 0 to 1; `scale` (SVC_TIME_SCALE)
 * shortens the wait before a retry and the day of D29.
 */
export function updateAfterStep(
  update: Update,
  result: UpdateStepResult,
  { at, chance = 0.5, scale = 1 }: { at: number; chance?: number; scale?: number },
): Update {
  const state = move(update.state, result.event)
  const { event } = result
  const why = middle(result.why ?? '')
  if (event === 'wanted' || event === 'present') {
    if (!result.to || state === update.state) return update
    const { proofs: _, retry: __, ...rest } = update // the window stays until the swap, since an update may end before
    return { ...rest, state, to: result.to }
  }
  if (state === 'undoing' && update.state !== 'undoing') return undo(update, { ...result, why }, at, scale)
  if (state === 'idle' && (update.state === 'fetching' || update.state === 'staging' || update.state === 'swapping'))
    return broken(update, event, why, { at, chance, scale })
  if (state === update.state) return update
  if (event === 'done' && result.to) return { ...update, state, to: result.to }
  if (state === 'proving') return { ...update, state, proofs: 1 }
  if (state === 'watching') return keep(update, result.level ?? 'ok', at)
  if (state === 'idle') {
    const { window: _, away: __, ...rest } = update
    return { ...rest, state, ...(result.asked && { asked: result.asked }) }
  }
  return { ...update, state }
}

/**
 * Ends an update before its swap; a watch that it interrupted goes on. An outcome is reported, unless the update was
 * aborted (`dropped`).
 */
function broken(
  update: Update,
  event: UpdateEvent,
  why: string,
  { at, chance, scale }: { at: number; chance: number; scale: number },
): Update {
  const { to, running, retry: _, ...rest } = update
  const state = update.window ? 'watching' : 'idle'
  const ending =
    event === 'killed'
      ? endOutcomes.unreachable
      : event in endOutcomes
        ? endOutcomes[event as keyof typeof endOutcomes]
        : undefined
  if (!ending || !to) return { ...rest, running, state }
  const reason = event === 'killed' ? 'interrupted; nothing was changed' : why
  return {
    ...rest,
    running,
    state,
    applied: attemptOf({ outcome: 'failed', works: running, from: running, to, at, reason }),
    ...(ending.holds
      ? { hold: { version: to.version, reason: why } }
      : { retry: { version: to.version, at: at + retryMs(chance) * scale } }),
  }
}

function keep(update: Update, baseline: Level, at: number): Update {
  const { to, running, proofs: _, ...rest } = update
  if (!to) return { ...rest, running, state: 'idle' }
  const again = update.previous?.version === to.version ? 'the version before, kept' : 'kept'
  const level = baseline === 'ok' ? again : `${again} at the level ${baseline}`
  return {
    ...rest,
    state: 'watching',
    running: to,
    previous: running,
    window: { baseline, ran: 0, worse: 0, flips: 0, deaths: 0 },
    applied: attemptOf({ outcome: 'ok', works: to, from: running, to, at, reason: level }),
  }
}

/**
 * Starts a rollback (3.3). An update in progress is undone; otherwise the agent gets the previous version. The version
 * that the agent leaves is put on hold (D25).
 */
function undo(update: Update, { event, why = '', asked }: UpdateStepResult, at: number, scale: number): Update {
  const { to, proofs: _, window: __, retry: ___, ...rest } = update
  const away = to ?? update.running
  const back = to ? update.running : update.previous
  if (!back) return update
  const reason = event === 'asked' ? why : `${why}; its state stays as it is`
  const { previous: ____, ...others } = rest
  return {
    ...(to ? rest : others),
    state: 'undoing',
    running: back,
    away,
    applied: attemptOf({ outcome: 'rolled_back', works: back, from: away, to: back, at, reason }),
    hold: { version: away.version, reason: why },
    rollbacks: [...stillCounted(update.rollbacks, at, scale), { version: away.version, at }],
    ...(asked && { asked }),
  }
}

/** A reason without its full stop, for the middle of a sentence. */
const middle = (why: string): string => why.replace(/[\s.]+$/, '')
