/**
 * Recognizes stored times that are impossible, which happens after a clock was set back. All times are in Unix
 * milliseconds, and `now` is an argument.
 */

/** A stored time may be this many milliseconds ahead: clocks of two nodes differ, and NTP corrects clocks in steps. */
export const clockSlackMs = 60_000

/** The latest value that a stored deadline can have if it was set `fullMs` ahead. */
export const latestDeadline = (now: number, fullMs: number): number => now + fullMs + clockSlackMs

/**
 * True if a deadline is still ahead. `fullMs` is the time that was left when the deadline was stored. A deadline more
 * than `fullMs` and `slackMs` ahead is impossible, so it counts as over.
 */
export const isAhead = (deadline: number, now: number, fullMs: number, slackMs = clockSlackMs): boolean =>
  deadline > now && deadline <= now + fullMs + slackMs

/** The time of an event, which cannot be in the future. A time in the future counts as `now`. */
export const eventTime = (at: number, now: number): number => Math.min(at, now)

/** True if the time of an event is so far in the future that a clock must have been set back since the event. */
export const isTooFarAhead = (at: number, now: number): boolean => at > now + clockSlackMs
