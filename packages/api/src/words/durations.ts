/** Durations: as people type them, such as `10m`, and in words. */

/** The units of durations, each with its length in seconds. */
export const durationUnits = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const
export type DurationUnit = keyof typeof durationUnits
const unitNames = Object.keys(durationUnits) as DurationUnit[]

/** The longest duration that people may type. */
export const maxDurationSeconds = 30 * durationUnits.days
/** The durations that are accepted, as the end of a sentence. */
export const durationsAccepted = 'a whole number with s, m, h or d, such as 0s, 10m or 2h, and at most 30d'

/**
 * Reads a duration such as `10m` and returns its seconds. Returns undefined if the text is no duration, or if it is
 * longer than `max` seconds.
 */
export function readDuration(text: string, max: number = maxDurationSeconds): number | undefined {
  const [, count, letter] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const unit = unitNames.find((one) => one[0] === letter)
  if (count === undefined || unit === undefined) return undefined
  const seconds = Number(count) * durationUnits[unit]
  return seconds <= max ? seconds : undefined
}

/** Converts seconds to the largest unit that divides them: 600 are 10 minutes, 90 are 90 seconds. */
export function inLargestUnit(seconds: number): { number: number; unit: DurationUnit } {
  const unit = unitNames.find((one) => seconds >= durationUnits[one] && seconds % durationUnits[one] === 0) ?? 'seconds'
  return { number: seconds / durationUnits[unit], unit }
}

/** Writes a number of seconds as a duration in the largest unit that divides it: 600 is `10m`, 90 is `90s`. */
export function writeDuration(seconds: number): string {
  const { number, unit } = inLargestUnit(seconds)
  return `${number}${unit[0]}`
}

/** A duration that people chose, in words, in the largest unit that divides it: `10 minutes`, `90 seconds`, `1 day`. */
export function durationText(seconds: number): string {
  const { number, unit } = inLargestUnit(seconds)
  return countText(number, unit)
}

/**
 * The time that has passed, in words: `10 minutes`, `2 hours`, `1 hour 30 minutes`, `3 days`. It names at most the two
 * largest units, and seconds only below a minute.
 */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < durationUnits.minutes) return countText(seconds, 'seconds')
  const days = Math.floor(seconds / durationUnits.days)
  const hours = Math.floor((seconds % durationUnits.days) / durationUnits.hours)
  const minutes = days > 0 ? 0 : Math.floor((seconds % durationUnits.hours) / durationUnits.minutes)
  const parts = [days > 0 && countText(days, 'days'), hours > 0 && countText(hours, 'hours')]
  return [...parts, minutes > 0 && countText(minutes, 'minutes')].filter(Boolean).join(' ')
}

const countText = (number: number, unit: DurationUnit): string => `${number} ${number === 1 ? unit.slice(0, -1) : unit}`
