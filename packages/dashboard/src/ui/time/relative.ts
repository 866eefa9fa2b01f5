/** Relative times and durations in words. Times are Unix milliseconds, durations are milliseconds. */

const s = 1000
const min = 60 * s
const hour = 60 * min
const day = 24 * hour

/**
 * Formats a time relative to now: `now`, `20 s ago`, `3 min ago`, `2 h ago`, `4 d ago`, and older times as a date. A
 * future time is `in 3 min`.
 */
export function relativeText(at: number, now: number): string {
  const off = now - at
  const size = Math.abs(off)
  if (size < 5 * s) return 'now'
  if (size >= 30 * day) return date(at, now)
  return off > 0 ? `${steps(size)} ago` : `in ${steps(size)}`
}

/**
 * Formats a duration in one unit: `40 s`, `3 min`, `2 h`, `12 d`. Seconds are in steps of five, so that lists change
 * less often.
 */
function steps(size: number): string {
  if (size < min) return `${Math.floor(size / (5 * s)) * 5} s`
  if (size < hour) return `${Math.floor(size / min)} min`
  if (size < day) return `${Math.floor(size / hour)} h`
  return `${Math.floor(size / day)} d`
}

/** Formats a duration in up to two units: `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function lastingText(ms: number): string {
  const size = Math.max(0, ms)
  if (size < min) return `${Math.floor(size / s)} s`
  const [big, small, names] =
    size < hour ? [min, s, ['min', 's']] : size < day ? [hour, min, ['h', 'min']] : [day, hour, ['d', 'h']]
  const rest = Math.floor((size % big) / small)
  const whole = `${Math.floor(size / big)} ${names[0]}`
  return rest === 0 ? whole : `${whole} ${rest} ${names[1]}`
}

const isSameYear = (at: number, now: number): boolean => new Date(at).getFullYear() === new Date(now).getFullYear()

/**
 * Makes a function that formats times. Making a formatter takes longer than hundreds of uses, and each row of a list
 * has some. It is made again after a minute, since the machine may have gone to another time zone.
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
 * Returns the value for the attribute `dateTime` of `<time>`. It is undefined if the number is too large for a date,
 * since agents may report any number (D20).
 */
export function isoTimeOf(at: number): string | undefined {
  const held = new Date(at)
  return Number.isNaN(held.getTime()) ? undefined : held.toISOString()
}
