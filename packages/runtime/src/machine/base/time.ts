/** Time in the runtime. Durations go through `scaledMs`, so that drills and tests can shorten all of them at once. */
import { readAttemptText } from '@svc/protocol'

/** One moment by two clocks, in milliseconds: `wall` is Unix time, `mono` is the monotonic clock. */
export interface Moment {
  readonly wall: number
  readonly mono: number
}

/** Reads `SVC_TIME_SCALE`, a number above 0 by which every duration is multiplied; 1 if the variable is not set. */
export function readScale(written: string | undefined): number {
  if (written === undefined || written === '') return 1
  const scale = Number(written)
  if (Number.isFinite(scale) && scale > 0) return scale
  throw new Error(`SVC_TIME_SCALE must be a number above 0: got ${JSON.stringify(written)}.`)
}

/**
 * Reads `SVC_TIME_FLOOR`, a minimum in real seconds for durations that must not become too short; 1 if it is not set, 0
 * for no minimum.
 */
function readFloor(written: string | undefined): number {
  if (written === undefined || written === '') return 1
  const floor = Number(written)
  if (Number.isFinite(floor) && floor >= 0) return floor
  throw new Error(`SVC_TIME_FLOOR must be a number of seconds, 0 or more: got ${JSON.stringify(written)}.`)
}

/** Converts a duration in seconds to the milliseconds to wait, multiplied by SVC_TIME_SCALE. */
export const scaledMs = (seconds: number): number => seconds * 1000 * readScale(process.env.SVC_TIME_SCALE)

/**
 * The minimum in milliseconds of some durations, however much time is shortened: programs need a moment to fail, and a
 * service limits the number of reports per minute.
 */
export const floorMs = (): number => 1000 * readFloor(process.env.SVC_TIME_FLOOR)

/**
 * Converts a duration in seconds to milliseconds and multiplies it by SVC_TIME_SCALE, but does not shorten it below
 * `floorMs()`. A duration that is shorter than that is not shortened at all.
 */
export const flooredMs = (seconds: number): number => shortenedTo(floorMs(), seconds)

/** The minimum in real milliseconds of a timeout of more than 3 s, however much time is shortened. */
const minPatienceMs = 3000

/**
 * Converts the timeout for something that takes real time, such as a request or another program, from seconds to
 * milliseconds. It is multiplied by SVC_TIME_SCALE, but not shortened below 3 s: a busy machine must not look like a
 * service or a program that hangs.
 */
export const timeoutMs = (seconds: number): number => shortenedTo(minPatienceMs, seconds)

/** Converts seconds to milliseconds and multiplies them by SVC_TIME_SCALE, but does not shorten them below `minMs`. */
const shortenedTo = (minMs: number, seconds: number): number =>
  Math.max(scaledMs(seconds), Math.min(seconds * 1000, minMs))

/** Waits for `ms` milliseconds. Resolves to true after that time, and to false if `signal` ended the wait early. */
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

/**
 * Checks a condition ten times a second until it is true or the time is over. The seconds are real: SVC_TIME_SCALE does
 * not shorten them, since the condition depends on other processes.
 */
export async function waitUntil(seconds: number, holds: () => boolean): Promise<boolean> {
  const never = new AbortController().signal
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await wait(100, never))
    if (holds()) return true
  return holds()
}

/** Converts milliseconds to whole seconds, rounded down. */
export const wholeSeconds = (ms: number): number => Math.floor(ms / 1000)
/** A time for people in UTC, such as `2026-11-21 09:30:05 UTC`. */
export const timeText = (unixSeconds: number): string =>
  Number.isFinite(unixSeconds) && Math.abs(unixSeconds) < 8.64e12
    ? `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : 'an unknown time'

/** The message of an update attempt (D34) in a form for people. A message of another form is returned unchanged. */
export function attemptText(message = ''): string {
  const attempt = readAttemptText(message)
  return attempt ? `${attempt.from} → ${attempt.to}, ${timeText(wholeSeconds(attempt.at))}: ${attempt.reason}` : message
}

/** A time difference for people, such as `12 s ago`, `5 min ago`, `3 h ago`, `2 days ago`. */
export const agoText = (secondsPassed: number): string => `${spanText(secondsPassed)} ago`

/** A duration for people, such as `12 s`, `5 min`, `3 h`, `2 days`. */
export function spanText(length: number): string {
  const s = Math.max(0, Math.round(length))
  if (s < 120) return `${s} s`
  if (s < 7200) return `${Math.round(s / 60)} min`
  return s < 172_800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86_400)} days`
}
