/** Judges a `desired` (3.3): the contract's conditions and D24 to D31, one per line. Pure. */
import { type Desired, isVersion, limits } from '@svc/protocol'
import type { Update } from './journal.ts'

export type WishVerdict =
  | 'none'
  | 'foreign' // another blueprint
  | 'invalid' // not a semantic version; never used as a path
  | 'running'
  | 'held'
  | 'looping' // rolled back too often (D29)
  | 'waiting' // for the retry after a transient failure
  | 'later' // something else is in progress, or the window is open (D30)
  | 'present' // the previous version, which is on this machine
  | 'wanted'

/** After this many rollbacks in 24 h a version is not tried again without a person here (D29). */
export const maxRollbacks = 3
const dayMs = 86_400_000

/** The facts by which a wish is judged. */
export interface WishFacts {
  readonly blueprint: string
  readonly now: Update
  /** Unix milliseconds. */
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

/**
 * The longest possible wait for a retry. A longer one means that the clock was wrong when it was noted, or was set back
 * since.
 */
const longestWaitMs = 1100 * limits.fetchRetrySeconds
const waits = (left: number, scale: number): boolean => left > 0 && left <= longestWaitMs * scale

export const loops = ({ rollbacks }: Update, version: string, at: number, scale = 1): boolean =>
  ofTheDay(rollbacks, at, scale).filter((r) => r.version === version).length >= maxRollbacks

export const ofTheDay = (rollbacks: Update['rollbacks'], at: number, scale = 1): Update['rollbacks'] =>
  rollbacks.filter((r) => Math.abs(at - r.at) < dayMs * scale)

/**
 * True if a wish lifts the hold: a valid wish for the agent's own blueprint and another version than the held one
 * (D25).
 */
export const lifts = (desired: Partial<Desired> | undefined, blueprint: string, { hold }: Update): boolean =>
  hold !== undefined &&
  desired?.blueprint === blueprint &&
  desired.version !== undefined &&
  isVersion(desired.version) &&
  desired.version !== hold.version
