/**
 * Decides whether the runtime installs the version of the agent that the service wishes (3.3). `judgeBlueprintWish` has
 * one line for each condition of the contract and of D24 to D31.
 */
import { type Desired, isAhead, isVersion, limits } from '@svc/protocol'
import type { Update } from './journal.ts'

/** The verdict on a wish of the service. */
export type WishVerdict =
  | 'none'
  /** The wish is for another blueprint. */
  | 'foreign'
  /** The wished text is not a semantic version. */
  | 'invalid'
  | 'running'
  | 'held'
  /** The version was rolled back too often (D29). */
  | 'looping'
  /** The last try failed for a reason that may pass, and its retry is not due yet. */
  | 'waiting'
  /**
   * Another update is in progress, or the current version is still being watched (D30) and the wish does not say `now`.
   */
  | 'later'
  /** The wish is for the previous version. The caller checks whether that version is still on this machine. */
  | 'present'
  | 'wanted'

/** A version rolled back this often within 24 h is not tried again until a person on its machine allows it (D29). */
export const maxRollbacks = 3
const dayMs = 86_400_000

/** The facts that decide about a wish. */
export interface WishFacts {
  readonly blueprint: string
  readonly now: Update
  /** The time of the judgement, in Unix milliseconds. */
  readonly at: number
  /** The factor (SVC_TIME_SCALE) with which tests shorten the 24 h of D29 and the wait before a retry. */
  readonly scale?: number
}

export function judgeBlueprintWish(
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
  if (loopingVersions(now, scale).includes(version)) return 'looping'
  if (now.retry?.version === version && isRetryAhead(now.retry, at, scale)) return 'waiting'
  if (now.previous?.version === version) return 'present'
  return now.state === 'watching' && desired?.now !== true ? 'later' : 'wanted'
}

/** The longest possible wait before a retry, in milliseconds. */
const longestWaitMs = 1100 * limits.fetchRetrySeconds

/**
 * True until the time of a retry has come. False if that time is more than `longestWaitMs` ahead, since then the clock
 * of the machine was wrong before, or was set back.
 */
export const isRetryAhead = (retry: { readonly at: number }, at: number, scale = 1): boolean =>
  isAhead(retry.at, at, longestWaitMs * scale, 0)

/** Returns the versions that were rolled back too often (D29). */
export function loopingVersions({ rollbacks }: Pick<Update, 'rollbacks'>, scale = 1): string[] {
  const versions = [...new Set(rollbacks.map(({ version }) => version))]
  return versions.filter((version) => {
    const times = rollbacks.filter((r) => r.version === version).map(({ at }) => at)
    times.sort((one, other) => one - other)
    return times.some((first, i) => (times[i + maxRollbacks - 1] ?? Infinity) - first < dayMs * scale)
  })
}

/**
 * Returns the rollbacks that may still count at this moment (D29): those of the last day, and of versions that loop.
 */
export function stillCounted(rollbacks: Update['rollbacks'], at: number, scale = 1): Update['rollbacks'] {
  const looping = loopingVersions({ rollbacks }, scale)
  return rollbacks.filter((r) => Math.abs(at - r.at) < dayMs * scale || looping.includes(r.version))
}

/**
 * True if a wish lifts the hold: it is valid, for the agent's own blueprint, and names another version than the one on
 * hold (D25).
 */
export const liftsHold = (desired: Partial<Desired> | undefined, blueprint: string, { hold }: Update): boolean =>
  hold !== undefined &&
  desired?.blueprint === blueprint &&
  desired.version !== undefined &&
  isVersion(desired.version) &&
  desired.version !== hold.version
