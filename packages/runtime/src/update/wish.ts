/** What becomes of a `desired` (3.3): the contract's conditions and D24 to D31, one a line. Pure. */
import { type Desired, isVersion, limits } from '@svc/protocol'
import type { Update } from './journal.ts'

export type WishVerdict =
  | 'none'
  | 'foreign' // another blueprint
  | 'invalid' // no semantic version; never used as a path
  | 'running'
  | 'held'
  | 'looping' // D29
  | 'waiting' // for the retry after a transient failure
  | 'later' // something else is under way, or the window is open (D30)
  | 'present' // the version before, which lies here
  | 'wanted'

/** D29: so often in 24 h, and a version is not tried again without a person here. */
export const maxRollbacks = 3
const dayMs = 86_400_000

/** What a wish is judged by. */
export interface WishFacts {
  readonly blueprint: string
  readonly now: Update
  /** Unix ms. */
  readonly at: number
  /** Shortens the day of D29 (SVC_TIME_SCALE). */
  readonly scale?: number
}

export function judgeWish(
  desired: Partial<Desired> | undefined,
  { blueprint, now, at, scale = 1 }: WishFacts,
): WishVerdict {
  const { blueprint: whose, version } = desired ?? {}
  if (whose === undefined || version === undefined) return 'none'
  if (whose !== blueprint) return 'foreign'
  if (!isVersion(version)) return 'invalid'
  if (now.state !== 'idle' && now.state !== 'watching') return 'later'
  if (version === now.running.version) return 'running'
  if (now.hold?.version === version) return 'held'
  if (loops(now, version, at, scale)) return 'looping'
  if (now.retry?.version === version && waits(now.retry.at - at, scale)) return 'waiting'
  if (now.previous?.version === version) return 'present'
  return now.state === 'watching' ? 'later' : 'wanted'
}

/** No retry is further away than this: the clock was wrong when it was noted, or was set back since. */
const longestWaitMs = 1100 * limits.fetchRetrySeconds
const waits = (left: number, scale: number): boolean => left > 0 && left <= longestWaitMs * scale

export const loops = ({ rollbacks }: Update, version: string, at: number, scale = 1): boolean =>
  ofTheDay(rollbacks, at, scale).filter((r) => r.version === version).length >= maxRollbacks

export const ofTheDay = (rollbacks: Update['rollbacks'], at: number, scale = 1): Update['rollbacks'] =>
  rollbacks.filter((r) => Math.abs(at - r.at) < dayMs * scale)

/** D25: a valid wish of the own blueprint for another version than the held one. */
export const lifts = (desired: Partial<Desired> | undefined, blueprint: string, { hold }: Update): boolean =>
  hold !== undefined &&
  desired?.blueprint === blueprint &&
  desired.version !== undefined &&
  isVersion(desired.version) &&
  desired.version !== hold.version
