/**
 * Weekly hours in a time zone: when an agent is expected to report, or when a person wants no messages. They follow the
 * zone's local clock, even in nights when that clock changes to or from summer time. Hours that cross midnight belong
 * to the day on which they begin.
 */
import type { Verdict } from '@svc/protocol'
import { done, refuse } from '../../platform/verdict.ts'

/**
 * Weekly hours. `days` are 1 (Monday) to 7 (Sunday); `from` and `to` are minutes since midnight. If `to` is before
 * `from`, the hours cross midnight; if both are equal, they last the whole day.
 */
export interface Hours {
  days: readonly number[]
  from: number
  to: number
  zone: string
}

const minuteMs = 60_000
const dayMinutes = 1440
const dayMs = dayMinutes * minuteMs
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
const groups: Readonly<Record<string, readonly number[]>> = {
  daily: [1, 2, 3, 4, 5, 6, 7],
  weekdays: [1, 2, 3, 4, 5],
  weekends: [6, 7],
}
const acceptedHoursText = 'Hours are days, two times and a time zone, such as "weekdays 08:00-19:00 Europe/Berlin"'

/** Reads hours as people write them: `weekdays 08:00-19:00 Europe/Berlin`, `Mon,Wed-Fri 22:00-06:00 UTC`. */
export function readHours(text: string): Verdict<Hours, 'hours_invalid'> {
  const [days = '', times = '', zone = '', ...more] = text.trim().split(/\s+/)
  const [, from, to] = /^(\d\d:\d\d)[-–](\d\d:\d\d)$/.exec(times) ?? []
  const [read, begin, end] = [readDays(days), readTime(from), readTime(to)]
  if (more.length > 0 || !read || begin === undefined || end === undefined) {
    return refuse('hours_invalid', `${acceptedHoursText}: got "${text}".`)
  }
  if (!isZone(zone)) {
    return refuse('hours_invalid', `The time zone must be one such as Europe/Berlin or UTC: got "${zone}".`)
  }
  return done({ days: read, from: begin, to: end, zone })
}

/** Writes hours in the form that `readHours` reads. */
export function writeHours({ days, from, to, zone }: Hours): string {
  const group = Object.keys(groups).find((name) => groups[name]?.join() === days.join())
  const said = group ?? days.map((day) => dayNames[day - 1]).join(',')
  return `${said} ${minutesText(from)}-${minutesText(to)} ${zone}`
}

/** Converts a time of the day such as `08:00` to minutes since midnight; undefined for any other text. */
export function readTime(text: string | undefined): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text ?? '') ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/** True if the text names a time zone. An offset such as +02:00 is refused, because it does not follow summer time. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** The period of the weekly hours that contains this moment; undefined if the moment is outside the hours. */
export function windowAt(hours: Hours, at: number): { from: number; to: number } | undefined {
  const { from, to, zone } = hours
  const length = to > from ? to - from : to - from + dayMinutes
  const today = startOfDay(localOf(zone, at))
  // A period that started yesterday may still last.
  for (const day of [today, today - dayMs]) {
    if (!hours.days.includes(weekdayOf(day))) continue
    const window = {
      from: instantOf(zone, day + from * minuteMs),
      to: instantOf(zone, day + (from + length) * minuteMs),
    }
    if (at >= window.from && at < window.to) return window
  }
  return undefined
}

/** The first moment at or after `at` that is outside the weekly hours; undefined if the hours cover the whole week. */
export function endOfHours(hours: Hours, at: number): number | undefined {
  let end = at
  for (let windows = 0; windows <= 8; windows++) {
    const window = windowAt(hours, end)
    if (!window) return end
    end = window.to
  }
  return undefined
}

/** The next moment after `at` at which the clock of the zone shows the time `from`, on one of the days. */
export function nextTime(hours: Pick<Hours, 'days' | 'from' | 'zone'>, at: number): number {
  const today = startOfDay(localOf(hours.zone, at))
  for (let day = today; day <= today + 8 * dayMs; day += dayMs) {
    if (!hours.days.includes(weekdayOf(day))) continue
    const next = instantOf(hours.zone, day + hours.from * minuteMs)
    if (next > at) return next
  }
  throw new Error('Hours without a day have no next time.')
}

function readDays(text: string): readonly number[] | undefined {
  const group = groups[text.toLowerCase()]
  if (group) return group
  const days = text.split(',').map((part) => {
    const ends = part.split('-').map(dayNamed)
    const [first, last = first] = ends
    if (ends.length > 2 || ends.includes(undefined) || first === undefined || last === undefined) return undefined
    return last >= first ? range(first, last) : [...range(first, 7), ...range(1, last)]
  })
  return days.every((part) => part !== undefined) ? [...new Set(days.flat())].sort() : undefined
}

const dayNamed = (name: string): number | undefined => {
  const day = dayNames.findIndex((one) => one.toLowerCase() === name.toLowerCase())
  return day < 0 ? undefined : day + 1
}
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const twoDigits = (value: number) => String(value).padStart(2, '0')
export const minutesText = (minutes: number) => `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`

const clocks = new Map<string, Intl.DateTimeFormat>()
const maxClocks = 500

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (clocks.size >= maxClocks) clocks.clear()
  clocks.set(zone, made)
  return made
}

/** The clock of stored hours. If this node does not know their zone, UTC is used, so that evaluations do not fail. */
const storedClock = (zone: string): Intl.DateTimeFormat => clockOf(isZone(zone) ? zone : 'UTC')

/**
 * The local time of the zone at this moment, expressed as the milliseconds at which UTC shows the same date and time.
 */
function localOf(zone: string, at: number): number {
  const parts = Object.fromEntries(
    storedClock(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000)
}

/**
 * The moment at which the zone's clock shows this local time. If it shows the time twice, the first moment counts; if
 * it skips the time because summer time begins, the offset from before the change is used.
 */
function instantOf(zone: string, local: number): number {
  const offsets = [local - dayMs, local + dayMs].map((at) => localOf(zone, at) - at)
  const instants = offsets.map((offset) => local - (offset ?? 0))
  return instants.filter((at) => localOf(zone, at) === local).toSorted((a, b) => a - b)[0] ?? instants[0] ?? local
}

const startOfDay = (local: number): number => Math.floor(local / dayMs) * dayMs
/** The day of the week of a local time, from 1 (Monday). It counts from 1 January 1970, which was a Thursday. */
const weekdayOf = (local: number): number => ((Math.floor(local / dayMs) + 3) % 7) + 1
