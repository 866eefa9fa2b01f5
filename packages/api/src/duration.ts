/** Durations as people write them: a whole number with s, m, h or d, such as `0s` or `10m`, up to 30 days. */

const units = { s: 1, m: 60, h: 3600, d: 86_400 } as const
export const maxDurationSeconds = 30 * units.d
export const durationsAccepted = 'a whole number with s, m, h or d, such as 0s, 10m or 2h, and at most 30d'

/**
 * Reads a duration such as `10m` and returns its seconds, never rounded; undefined for a text that is no such duration,
 * or for one of more than `max` seconds.
 */
export function readDuration(text: string, max: number = maxDurationSeconds): number | undefined {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  const seconds = Number(count) * units[unit as keyof typeof units]
  return seconds <= max ? seconds : undefined
}

/** Writes a number of seconds as a duration in the largest unit that divides it: 600 is `10m`, 90 is `90s`. */
export function writeDuration(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((one) => seconds >= units[one] && seconds % units[one] === 0) ?? 's'
  return `${seconds / units[unit]}${unit}`
}
