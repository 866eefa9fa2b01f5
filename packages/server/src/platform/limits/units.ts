/** Units of time. */

export const dayMs = 86_400_000

/** The day of a moment in Unix milliseconds, as days since 1970 (UTC). */
export const dayNumber = (at: number): number => Math.floor(at / dayMs)
