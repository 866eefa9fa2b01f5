const day = 86_400_000

/** The last `count` days (UTC) up to `now`, as `2026-11-21`, oldest first. */
export const lastDays = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => new Date(now - (count - 1 - i) * day).toISOString().slice(0, 10))

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Shows a day such as `2026-11-21` as `21 Nov`. */
export const dayName = (key: string): string => {
  const time = Date.parse(`${key}T00:00:00Z`)
  return Number.isNaN(time) ? key : short.format(time)
}
