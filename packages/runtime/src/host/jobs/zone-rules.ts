/**
 * Reads the rules of time zones as the C library has them: a zone file (RFC 9636), or the text of the variable TZ
 * (POSIX), such as `CET-1CEST,M3.5.0,M10.5.0/3`. The functions are pure; times are Unix seconds, and offsets are
 * seconds east of UTC.
 */

/** The seconds by which the clocks of a zone are ahead of UTC at a time. */
export type ZoneOffset = (at: number) => number

const day = 86_400
const hour = 3600

/** The day of a year on which clocks change, and the local time in seconds. */
interface ClockChange {
  day(year: number): number
  readonly at: number
}

/** Reads the value of TZ in its POSIX form. Undefined for any other text. */
export function readPosix(text: string): ZoneOffset | undefined {
  const [, west, summer, summerWest, from = '', to = ''] = posixForm.exec(text) ?? []
  if (west === undefined) return undefined
  const usual = 0 - offsetOf(west)
  if (summer === undefined) return () => usual
  const later = summerWest === undefined ? usual + hour : 0 - offsetOf(summerWest)
  // If the text gives no dates, summer time is as in America.
  const [first, last] = [readChange(from || 'M3.2.0'), readChange(to || 'M11.1.0')]
  return first && last ? seasons({ usual, later, first, last }) : undefined
}

const name = '(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)'
const timePattern = String.raw`[+-]?\d{1,3}(?::\d{1,2}(?::\d{1,2})?)?`
const posixForm = new RegExp(`^${name}(${timePattern})(?:(${name})(${timePattern})?(?:,([^,]*)(?:,([^,]*))?)?)?$`)

/** The seconds of a time such as `-2:30`. A part that is larger than its entry in `max` counts as that entry. */
function secondsOf(written: string, max: readonly number[]): number {
  const parts = written.replace(/^[+-]/, '').split(':').map(Number)
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part, i) => Math.min(part, max[i] ?? part))
  const length = hours * hour + minutes * 60 + seconds
  return written.startsWith('-') ? 0 - length : length
}

const offsetOf = (written: string): number => secondsOf(written, [24, 59, 59])

const changeForm = new RegExp(String.raw`^(?:M(\d{1,2})\.([1-5])\.([0-6])|(J?)(\d{1,3}))(?:/(${timePattern}))?$`)

function readChange(written: string): ClockChange | undefined {
  const [, month, week, weekday, julian, number, clock] = changeForm.exec(written) ?? []
  const at = clock === undefined ? 2 * hour : secondsOf(clock, [])
  if (month !== undefined) {
    if (Number(month) < 1 || Number(month) > 12) return undefined
    return { at, day: (year) => weekdayOf(year, Number(month), Number(week), Number(weekday)) }
  }
  if (number === undefined) return undefined
  // The form with a J counts from 1, and never counts 29 February.
  const leaps = (year: number) => julian === 'J' && Number(number) >= 60 && isLeap(year)
  return { at, day: (year) => dayOf(year, 1, 1) + Number(number) - (julian === 'J' ? 1 : 0) + Number(leaps(year)) }
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
/** The number of a day since 1970. */
const dayOf = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / 1000 / day

/**
 * The day, since 1970, of a weekday in a week of a month. Week 5 is the last week of the month that has this weekday.
 */
function weekdayOf(year: number, month: number, week: number, weekday: number): number {
  const first = dayOf(year, month, 1)
  const found = first + ((weekday - (first + 4) + 700_000_007) % 7) + (week - 1) * 7
  return found < dayOf(year, month + 1, 1) ? found : found - 7
}

interface Seasons {
  readonly usual: number
  readonly later: number
  readonly first: ClockChange
  readonly last: ClockChange
}

/** The offsets of a zone with summer time. South of the equator, it begins in one year and ends in the next. */
function seasons({ usual, later, first, last }: Seasons): ZoneOffset {
  return (at) => {
    const year = new Date((at + usual) * 1000).getUTCFullYear()
    const begins = first.day(year) * day + first.at - usual
    const ends = last.day(year) * day + last.at - later
    const isLater = begins < ends ? at >= begins && at < ends : at < ends || at >= begins
    return isLater ? later : usual
  }
}

/** Reads a zone file. Undefined for any other file. */
export function readZoneFile(bytes: Buffer): ZoneOffset | undefined {
  try {
    const first = headerAt(bytes, 0)
    if (first === undefined) return undefined
    const second = first.version === 0 ? undefined : headerAt(bytes, first.end(4))
    return second === undefined ? timesIn(bytes, first, 4) : timesIn(bytes, second, 8)
  } catch (error) {
    if (error instanceof RangeError) return undefined // the file is cut off
    throw error
  }
}

interface Header {
  readonly version: number
  readonly at: number
  readonly times: number
  readonly types: number
  /** The position where the block after this header ends, if each time in it has `size` bytes. */
  end(size: 4 | 8): number
}

const headerBytes = 44

function headerAt(bytes: Buffer, at: number): Header | undefined {
  if (bytes.toString('latin1', at, at + 4) !== 'TZif') return undefined
  const [utcs = 0, walls = 0, leaps = 0, times = 0, types = 0, chars = 0] = [20, 24, 28, 32, 36, 40].map((field) =>
    bytes.readUInt32BE(at + field),
  )
  return {
    version: bytes[at + 4] ?? 0,
    ...{ at, times, types },
    end: (size) => at + headerBytes + times * (size + 1) + types * 6 + chars + leaps * (size + 4) + walls + utcs,
  }
}

function timesIn(bytes: Buffer, { at, times, types, end }: Header, size: 4 | 8): ZoneOffset | undefined {
  const start = at + headerBytes
  const changes = Array.from({ length: times }, (_, i) =>
    size === 4 ? bytes.readInt32BE(start + i * 4) : Number(bytes.readBigInt64BE(start + i * 8)),
  )
  const typesAt = start + times * (size + 1)
  const offsetOfType = (type: number) => bytes.readInt32BE(typesAt + type * 6)
  if (types === 0) return undefined
  const offsets = changes.map((_, i) => offsetOfType(bytes.readUInt8(start + times * size + i)))
  const before = offsetOfType(0)
  const rest = size === 4 ? '' : (bytes.toString('latin1', end(size)).split('\n')[1] ?? '')
  const after = readPosix(rest)
  return (time) => {
    const last = changes.at(-1)
    if (after && (last === undefined || time >= last)) return after(time)
    const found = changes.findLastIndex((change) => change <= time)
    return found < 0 ? before : (offsets[found] ?? before)
  }
}

/** A change of the clocks that is undone within this time is not noticed. No zone has done so. */
const stepSeconds = 6 * hour

/** Returns the first time after `from`, and not after `to`, at which the offset changes. Undefined if there is none. */
export function changeAfter(offsets: ZoneOffset, from: number, to: number): number | undefined {
  const before = offsets(from)
  for (let low = from; low < to; low += stepSeconds) {
    let high = Math.min(low + stepSeconds, to)
    if (offsets(high) === before) continue
    let last = low
    while (high - last > 1) {
      const middle = Math.floor((last + high) / 2)
      if (offsets(middle) === before) last = middle
      else high = middle
    }
    return high
  }
  return undefined
}
