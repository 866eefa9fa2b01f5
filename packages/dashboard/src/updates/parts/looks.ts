/** Pure functions and tables that put the states of requests, rollouts and update events into words. */
import type { RolloutAgentState, RolloutState, UpdateEvent, UpdateKind, WaitReason, WishState } from '@svc/api'
import { updateWords } from '@svc/api/words'
import { numberIn } from '@svc/protocol'

export type UpdateTone = 'waiting' | 'good' | 'no' | 'lost' | 'plain'

/** The words for each state of a request for a version. */
export const wishWords: Readonly<Record<WishState, { word: string; tone: UpdateTone }>> = {
  none: { word: 'nothing requested', tone: 'plain' },
  queued: { word: 'waiting for its turn', tone: 'waiting' },
  waiting: { word: 'waiting for its next report', tone: 'waiting' },
  offered: { word: updateWords.offered, tone: 'waiting' },
  trying: { word: updateWords.trying, tone: 'waiting' },
  kept: { word: updateWords.kept, tone: 'good' },
  rolled_back: { word: updateWords.rolled_back, tone: 'no' },
  failed: { word: updateWords.failed, tone: 'no' },
  held: { word: updateWords.held, tone: 'lost' },
}

/**
 * True if the requested version is not the running one. The page then shows the requested version beside the running
 * one.
 */
export const isOutstanding = (wished: string | null, running: string | null): wished is string =>
  wished !== null && wished !== running

/** The words for each state of a rollout. */
export const rolloutWords: Readonly<Record<RolloutState, { word: string; tone: UpdateTone }>> = {
  running: { word: 'running', tone: 'waiting' },
  waiting: { word: 'waiting for you', tone: 'lost' },
  paused: { word: 'paused', tone: 'lost' },
  halted: { word: 'halted', tone: 'no' },
  done: { word: 'done', tone: 'good' },
  cancelled: { word: 'cancelled', tone: 'plain' },
}

/** The words for each state of an agent in a rollout. */
export const rolloutAgentWords: Readonly<Record<RolloutAgentState, { word: string; tone: UpdateTone }>> = {
  untouched: { word: 'not reached yet', tone: 'plain' },
  wished: { word: 'waiting for a report', tone: 'waiting' },
  offered: { word: updateWords.offered, tone: 'waiting' },
  trying: { word: updateWords.trying, tone: 'waiting' },
  kept: { word: updateWords.kept, tone: 'good' },
  rolled_back: { word: updateWords.rolled_back, tone: 'no' },
  failed: { word: updateWords.failed, tone: 'no' },
  worse: { word: 'kept, but worse', tone: 'no' },
  left_out: { word: 'left out', tone: 'plain' },
  withdrawn: { word: 'superseded', tone: 'plain' },
  excused: { word: 'rolled back while the service was away', tone: 'lost' },
}

/**
 * Says in a few words what an agent of a rollout waits for; null if the word for its state says it already. `time`
 * formats a time of day.
 */
export function waitWords(waits: WaitReason | null, time: (at: number) => string): string | null {
  switch (waits?.for) {
    case 'window':
      return `watching ${waits.version} until ${time(waits.until)}`
    case 'silent':
      return 'offline'
    case 'first_report':
      return 'waiting for its first report'
    case 'trials':
      return 'waiting for its turn to be tested'
    case 'runtime_trial':
      return 'waiting for the test of its runtime'
    case 'blueprint_trial':
      return 'waiting for the test of a blueprint version'
    case 'fetch':
      return 'sent, download not started'
    case 'approval':
      return 'waiting for approval'
    case 'hold':
      return waits.by === 'rollout' ? 'waiting for the rollout to continue' : 'on hold on its machine'
    default:
      return null
  }
}

const eventTones: Readonly<Partial<Record<UpdateKind, UpdateTone>>> = {
  kept: 'good',
  rolled_back: 'no',
  failed: 'no',
  held: 'lost',
  changed: 'lost',
}

/** The word for an event of an update, with its tone. */
export const updateEventLook = (kind: UpdateKind): { word: string; tone: UpdateTone } => ({
  word: updateWords[kind],
  tone: eventTones[kind] ?? 'plain',
})

/**
 * Describes the versions of an event in the timeline: `runtime 1.1.0 after 1.0.0` for an update, `1.1.0 back to 1.0.0`
 * for a rollback, and `1.1.0 still 1.0.0` for a failed attempt.
 */
export const eventDetail = ({
  of,
  kind,
  version,
  from,
}: Pick<UpdateEvent, 'of' | 'kind' | 'version' | 'from'>): string => {
  const beside = kind === 'rolled_back' ? 'back to' : kind === 'failed' ? 'still' : 'after'
  return [of === 'runtime' ? 'runtime' : null, version, from !== null && from !== version ? `${beside} ${from}` : null]
    .filter(Boolean)
    .join(' ')
}

/** The label of the button that requests a version. */
export const requestLabel = (version: string, running: string | null, previous: string | null): string =>
  version === running
    ? `Stay on ${version}`
    : version === previous
      ? `Go back to ${version}`
      : running === null
        ? `Request ${version}`
        : `Update to ${version}`

/**
 * Says which agents of a rollout are updated once a wave is over: `1` becomes `the first agent`, `10%` becomes `the
 * first 10%`, and `100%` becomes `all`.
 */
export const upToWords = (upTo: string): string =>
  upTo === '100%'
    ? 'all'
    : upTo === '1'
      ? 'the first agent'
      : upTo.endsWith('%')
        ? `the first ${upTo.slice(0, -1)}%`
        : `the first ${upTo}`

/** Reads the waves that a person typed, such as `1, 10%, all`; undefined if they are not valid. */
export function readWaves(typed: string): string[] | undefined {
  const waves = typed
    .split(/[,;\uff0c\uff1b]/)
    .map((part) => numberIn(part).replace(/\s+%/, '%').toLowerCase())
    .filter((part) => part !== '')
    .map((part) => (part === 'all' ? '100%' : part))
  const good = waves.every((wave) => /^[1-9]\d{0,5}$/.test(wave) || /^([1-9]\d?|100)%$/.test(wave))
  return good && waves.length > 0 && waves.length <= 10 ? waves : undefined
}
