/** Relative times and durations in words. Times are Unix milliseconds, durations are milliseconds. */

const s = 1000
const min = 60 * s
const hour = 60 * min
const day = 24 * hour

/** The units of durations, the longest first. */
const units = [
  [day, 'd'],
  [hour, 'h'],
  [min, 'min'],
  [s, 's'],
] as const

/**
 * Formats a time relative to now: `now`, `20 s ago`, `3 min ago`, `4 d ago`, `in 3 min`. A time 30 days or more away is
 * shown as a date. Seconds are in steps of five, so that lists change less often.
 */
export function relativeText(at: number, now: number): string {
  const off = now - at
  const size = Math.abs(off)
  if (size < 5 * s) return 'now'
  if (size >= 30 * day) return date(at, now)
  const words = inUnits(size < min ? size - (size % (5 * s)) : size, 1)
  return off > 0 ? `${words}\u00a0ago` : `in\u00a0${words}`
}

/** Formats a duration in up to two units: `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export const lastingText = (ms: number): string => inUnits(Math.max(0, ms), 2)

/**
 * Formats a duration in at most `parts` units, from its longest unit down. Later units that are 0 are left out. All
 * spaces are no-break spaces.
 */
function inUnits(size: number, parts: number): string {
  const first = units.findIndex(([unit]) => size >= unit || unit === s)
  let rest = size
  return units
    .slice(first, first + parts)
    .flatMap(([unit, name], i) => {
      const number = Math.floor(rest / unit)
      rest %= unit
      return number > 0 || i === 0 ? `${number}\u00a0${name}` : []
    })
    .join('\u00a0')
}

const isSameYear = (at: number, now: number): boolean => new Date(at).getFullYear() === new Date(now).getFullYear()

/**
 * Makes a function that formats times. It keeps its `Intl.DateTimeFormat`, which is slow to make, but makes a new one
 * every minute, since the time zone of the machine may change.
 */
function formatterOf(options: Intl.DateTimeFormatOptions): (at: number) => string {
  let made: { format: Intl.DateTimeFormat; until: number } | undefined
  return (at) => {
    const now = performance.now()
    if (!made || now > made.until) made = { format: new Intl.DateTimeFormat('en-GB', options), until: now + min }
    return made.format.format(at)
  }
}

const dayAndMonth = { day: 'numeric', month: 'short' } as const
const hourAndMinute = { hour: '2-digit', minute: '2-digit' } as const
const year = { year: 'numeric' } as const
const dateThisYear = formatterOf(dayAndMonth)
const dateOfYear = formatterOf({ ...dayAndMonth, ...year })
const timeThisYear = formatterOf({ ...dayAndMonth, ...hourAndMinute })
const timeOfYear = formatterOf({ ...dayAndMonth, ...hourAndMinute, ...year })

const date = (at: number, now: number): string => (isSameYear(at, now) ? dateThisYear : dateOfYear)(at)

/** Formats a date with the time of day: `21 Nov, 14:03`, and the year if it is not the present one. */
export const dateAndTime = (at: number, now: number): string => (isSameYear(at, now) ? timeThisYear : timeOfYear)(at)

/** Formats the time of day: `14:03`. */
export const timeOfDay: (at: number) => string = formatterOf(hourAndMinute)

/** Formats the exact time with seconds and zone: `Sat 21 Nov 2026, 14:03:07 GMT+1`. */
export const exactTime: (at: number) => string = formatterOf({
  weekday: 'short',
  ...{ ...dayAndMonth, ...year, ...hourAndMinute },
  ...{ second: '2-digit', timeZoneName: 'short' },
})

/**
 * Returns the value for the attribute `dateTime` of `<time>`; undefined if the number is out of the range of dates.
 * Agents may report any number (D20).
 */
export function isoTimeOf(at: number): string | undefined {
  const held = new Date(at)
  return Number.isNaN(held.getTime()) ? undefined : held.toISOString()
}
