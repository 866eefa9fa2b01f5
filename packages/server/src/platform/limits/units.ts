/** Units of time. */

export const dayMs = 86_400_000

/** The day of a moment in Unix milliseconds, as days since 1970 (UTC). */
export const dayNumber = (at: number): number => Math.floor(at / dayMs)

/** A moment to the minute, such as `2026-01-01 12:00 UTC`. */
export const minuteText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
