/** Time as the runtime counts it: durations go through `duration`, so that drills and tests can shorten all of them at once. */
import { readAttempt } from '@svc/protocol'

/** One moment by two clocks, in ms. `wall`: Unix time. `mono`: the clock that does not jump. */
export interface Moment {
  readonly wall: number
  readonly mono: number
}

/** Reads `SVC_TIME_SCALE`: a factor above 0 on every duration; 1 when unset. */
export function readScale(written: string | undefined): number {
  if (written === undefined || written === '') return 1
  const scale = Number(written)
  if (Number.isFinite(scale) && scale > 0) return scale
  throw new Error(`SVC_TIME_SCALE must be a number above 0: got ${JSON.stringify(written)}.`)
}

/** Reads `SVC_TIME_FLOOR`: real seconds from which on some durations are not shortened any more; 1 when unset, 0 for none. */
function readFloor(written: string | undefined): number {
  if (written === undefined || written === '') return 1
  const floor = Number(written)
  if (Number.isFinite(floor) && floor >= 0) return floor
  throw new Error(`SVC_TIME_FLOOR must be a number of seconds, 0 or more: got ${JSON.stringify(written)}.`)
}

/** Milliseconds to wait for a duration in seconds. */
export const duration = (seconds: number): number => seconds * 1000 * readScale(process.env.SVC_TIME_SCALE)

/** Milliseconds that what has a pace of its own gets however short time is made: programs need a while to fail, a service takes so many reports a minute. */
export const floor = (): number => 1000 * readFloor(process.env.SVC_TIME_FLOOR)

/** A duration that is not shortened below the floor. */
export const unhurried = (seconds: number): number => Math.max(duration(seconds), Math.min(seconds * 1000, floor()))

/** Waits; false when `signal` ended the wait early. */
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
/** A moment for people, UTC: `2026-11-21 09:30:05 UTC`. */
export const moment = (unixSeconds: number): string =>
  Number.isFinite(unixSeconds) && Math.abs(unixSeconds) < 8.64e12
    ? `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : 'an unknown time'

/** The message of an attempt (D34) for people; one of another form stays. */
export function attemptText(message = ''): string {
  const attempt = readAttempt(message)
  return attempt
    ? `${attempt.from} → ${attempt.to}, ${moment(Math.floor(attempt.at / 1000))}: ${attempt.reason}`
    : message
}

/** How long ago, for people: `12 s`, `5 min`, `3 h`, `2 days`. */
export function ago(secondsPassed: number): string {
  const s = Math.max(0, Math.round(secondsPassed))
  if (s < 120) return `${s} s ago`
  if (s < 7200) return `${Math.round(s / 60)} min ago`
  return s < 172_800 ? `${Math.round(s / 3600)} h ago` : `${Math.round(s / 86_400)} days ago`
}
