/** Time in the runtime. Durations go through `duration`, so that drills and tests can shorten all of them at once. */
import { readAttempt } from '@svc/protocol'

/** One moment by two clocks, in ms. `wall` is Unix time, `mono` the monotonic clock. */
export interface Moment {
  readonly wall: number
  readonly mono: number
}

/** Reads `SVC_TIME_SCALE`: a factor above 0 for every duration; 1 if unset. */
export function readScale(written: string | undefined): number {
  if (written === undefined || written === '') return 1
  const scale = Number(written)
  if (Number.isFinite(scale) && scale > 0) return scale
  throw new Error(`SVC_TIME_SCALE must be a number above 0: got ${JSON.stringify(written)}.`)
}

/** Reads `SVC_TIME_FLOOR`: the real seconds below which some durations are not shortened; 1 if unset, 0 for none. */
function readFloor(written: string | undefined): number {
  if (written === undefined || written === '') return 1
  const floor = Number(written)
  if (Number.isFinite(floor) && floor >= 0) return floor
  throw new Error(`SVC_TIME_FLOOR must be a number of seconds, 0 or more: got ${JSON.stringify(written)}.`)
}

/** Milliseconds to wait for a duration in seconds. */
export const duration = (seconds: number): number => seconds * 1000 * readScale(process.env.SVC_TIME_SCALE)

/**
 * The minimum in milliseconds for things with their own pace, however much time is shortened: programs need a while to
 * fail, and a service limits the reports per minute.
 */
export const floor = (): number => 1000 * readFloor(process.env.SVC_TIME_FLOOR)

/** A duration that is not shortened below the floor. */
export const unhurried = (seconds: number): number => Math.max(duration(seconds), Math.min(seconds * 1000, floor()))

/** Waits; false if `signal` ended the wait early. */
export function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(true), Math.max(0, ms))
    const abort = () => done(false)
    const done = (whole: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(whole)
    }
    signal.addEventListener('abort', abort)
  })
}

export const seconds = (ms: number): number => Math.floor(ms / 1000)
/** A time for people in UTC, such as `2026-11-21 09:30:05 UTC`. */
export const moment = (unixSeconds: number): string =>
  Number.isFinite(unixSeconds) && Math.abs(unixSeconds) < 8.64e12
    ? `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : 'an unknown time'

/** The message of an attempt (D34) for people. A message of another form stays unchanged. */
export function attemptText(message = ''): string {
  const attempt = readAttempt(message)
  return attempt
    ? `${attempt.from} → ${attempt.to}, ${moment(Math.floor(attempt.at / 1000))}: ${attempt.reason}`
    : message
}

/** A time difference for people, such as `12 s ago`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function ago(secondsPassed: number): string {
  const s = Math.max(0, Math.round(secondsPassed))
  if (s < 120) return `${s} s ago`
  if (s < 7200) return `${Math.round(s / 60)} min ago`
  return s < 172_800 ? `${Math.round(s / 3600)} h ago` : `${Math.round(s / 86_400)} days ago`
}
