/**
 * Time zones: which names are valid, the offsets of their clocks from UTC, and times in words for the people of this
 * machine. A zone has the IANA name by which Node knows it or, if only the machine knows it, a name made by `nameZone`.
 */
import type { ZoneOffset } from './zone-rules.ts'

/** True if times can be computed for this name of a zone. */
export const isZone = (zone: string): boolean => zone !== '' && (ruled.has(zone) || formatter(zone) !== undefined)

/** The rules of the zones that Node does not know. */
const ruled = new Map<string, ZoneOffset>()

/** Stores the rules of a zone that Node does not know, and returns a name for it. Each zone needs its own `key`. */
export function nameZone(key: string, offsets: ZoneOffset): string {
  const zone = `=${key}`
  ruled.set(zone, offsets)
  return zone
}

/** The rules of a zone that Node does not know. Undefined for all others. */
export const zoneRulesOf = (zone: string): ZoneOffset | undefined => ruled.get(zone)

/** The difference between the clocks of a zone and UTC, in seconds, at a time in Unix seconds. */
export function offsetAt(zone: string, at: number): number {
  const rules = ruled.get(zone)
  if (rules) return rules(Math.floor(at))
  const { hour = 0, minute = 0, second = 0, year = 0, month = 1, day = 1 } = partsAt(zone, at)
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - Math.floor(at)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const halfYear = 183 * 86_400

/**
 * A time for people, by the clocks of a zone: `03:12 UTC+1` today, `24 Nov 03:00 UTC+1` on another day, with the year
 * if that day is more than half a year away. The text names the offset, since people in other zones read it, too.
 */
export function clockText(at: number, now: number, zone: string): string {
  if (!isTime(at)) return 'an unknown time'
  const then = partsAt(zone, at)
  const today = partsAt(zone, now)
  const two = (n = 0) => String(n).padStart(2, '0')
  const time = `${two(then.hour)}:${two(then.minute)} ${offsetText(offsetAt(zone, at))}`
  if (then.year === today.year && then.month === today.month && then.day === today.day) return time
  const date = `${then.day} ${months[(then.month ?? 1) - 1]}`
  return Math.abs(at - now) > halfYear ? `${date} ${then.year} ${time}` : `${date} ${time}`
}

/** An offset in words: `UTC`, `UTC+1`, `UTC-3:30`. */
function offsetText(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60)
  if (minutes === 0) return 'UTC'
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`
  return `UTC${seconds < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest}`
}

/** True if `Date` can represent the time. */
const isTime = (at: number): boolean => Math.abs(at) < 8.64e12

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, number>>

function partsAt(zone: string, at: number): Parts {
  const rules = ruled.get(zone)
  if (rules) {
    const date = new Date((Math.floor(at) + rules(Math.floor(at))) * 1000)
    return {
      ...{ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() },
      ...{ hour: date.getUTCHours(), minute: date.getUTCMinutes() },
    }
  }
  const key = `${zone} ${Math.floor(at)}`
  const known = cachedParts.get(key)
  if (known) return known
  const parts = formatter(zone)?.formatToParts(new Date(Math.floor(at) * 1000)) ?? []
  const made = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
  if (cachedParts.size >= maxKnown) cachedParts.clear()
  cachedParts.set(key, made)
  return made
}

/** The host agent asks for the same times every few seconds, and the answers are slow to compute. */
const cachedParts = new Map<string, Parts>()
const maxKnown = 10_000

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Making a formatter takes longer than using it a hundred times, so each zone has one. */
function formatter(zone: string): Intl.DateTimeFormat | undefined {
  const known = formatters.get(zone)
  if (known) return known
  try {
    const numeric = 'numeric' as const
    const date = { year: numeric, month: numeric, day: numeric, calendar: 'gregory', numberingSystem: 'latn' }
    const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' as const }
    const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...date, ...time })
    formatters.set(zone, made)
    return made
  } catch {
    return undefined
  }
}
