/**
 * Decides what to do with a stored time that is impossible. After a clock was set back, a stored time may be later than
 * the present one. Every time is in Unix milliseconds, and the present one is an argument.
 */

/** A stored time may be this many milliseconds ahead: clocks of two nodes differ, and NTP corrects clocks in steps. */
export const clockSlackMs = 60_000

/** The latest time that a deadline of the length `fullMs` can have. */
export const latestDeadline = (now: number, fullMs: number): number => now + fullMs + clockSlackMs

/**
 * True while a deadline lies ahead: what waits is not due, a lease is held, a permit is valid. `fullMs` is the length
 * that the deadline had when it was stored. A deadline that is farther away than `fullMs` and `slackMs` together is
 * impossible, so it counts as over.
 */
export const isAhead = (deadline: number, now: number, fullMs: number, slackMs = clockSlackMs): boolean =>
  deadline > now && deadline <= now + fullMs + slackMs

/** The time of an event, which cannot be in the future. A time in the future counts as `now`. */
export const eventTime = (at: number, now: number): number => Math.min(at, now)

/** True if the time of an event lies farther ahead than clocks may differ: then the clock was set back since. */
export const isTooFarAhead = (at: number, now: number): boolean => at > now + clockSlackMs
