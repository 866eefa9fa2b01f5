/**
 * Schedules: the times at which a job should begin, either a number of seconds after its last start or as a line of a
 * crontab says. What croner reads but cron does not is refused. Times are Unix seconds.
 */
import { cut } from '@svc/protocol'
import { Cron } from 'croner'
import { zoneNamed } from './machine-zone.ts'
import { isZone, zoneRulesOf } from './zone.ts'
import { changeAfter, type ZoneOffset } from './zone-rules.ts'

/** The times at which a job should begin. */
export interface ScheduledTimes {
  /** The first time at which the job is due after a start; undefined if there is none. */
  due(start: number): number | undefined
  /** The first time after `due` at which the job is due again. */
  after(due: number): number | undefined
  /**
   * The next time that people are shown. For times of a clock, this is the first after `start`, or the second if the
   * run that began at `start` was early for the first. `due` differs: it skips all times in the minute after `start`.
   */
  shown(start: number): number | undefined
  /** True if the times are those of a clock, and do not depend on when the job began. */
  readonly isClock: boolean
}

type TimesRead =
  | { readonly ok: true; readonly times: ScheduledTimes }
  /** `why` is the end of a sentence that begins with the schedule. */
  | { readonly ok: false; readonly why: string }

/** The schedule of a job that is due this many seconds after each start. */
export const timesEvery = (seconds: number): ScheduledTimes => ({
  due: (start) => start + seconds,
  after: (due) => due + seconds,
  shown: (start) => start + seconds,
  isClock: false,
})

/** A run that begins up to this many seconds before its time counts as the run of that time. */
const earlySeconds = 60

/** Reads the five fields of a crontab, or a word such as `@daily`. `zone` is the name of a time zone. */
export function readCron(written: string, zone: string): TimesRead {
  if (!isZone(zone)) return { ok: false, why: `has an unknown time zone: got ${JSON.stringify(zone)}` }
  const word = written.trim().toLowerCase()
  if (word === '@reboot') return { ok: true, times: never }
  const pattern = words[word] ?? written.trim()
  if (pattern.startsWith('@')) return { ok: false, why: `must be one of @reboot ${Object.keys(words).join(' ')}` }
  const fields = pattern.split(/[ \t]+/)
  if (fields.length !== 5) return { ok: false, why: `must have five fields: got ${fields.length}` }
  const foreign = fields.find((field) => /[^0-9*,/-]/.test(field.replace(dayAndMonthNames, '')))
  if (foreign !== undefined) return { ok: false, why: `has a field that cron does not know: got ${quoted(foreign)}` }
  return timesOf(fields, zone)
}

/** Says in a sentence what is wrong with a schedule; undefined for a valid one. */
export function scheduleFault(written: string, zone = 'UTC'): string | undefined {
  const read = readCron(written, zoneNamed(zone) ?? zone)
  return read.ok ? undefined : `The schedule ${read.why}.`
}

const never: ScheduledTimes = { due: () => undefined, after: () => undefined, shown: () => undefined, isClock: true }
const words: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
const dayAndMonthNames = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi
const quoted = (text: string): string => JSON.stringify(cut(text, 40))

function timesOf(fields: readonly string[], zone: string): TimesRead {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  // If one of the two fields for days begins with a star, cron wants a day that matches both, and otherwise either.
  const domAndDow = day.startsWith('*') || weekday.startsWith('*')
  try {
    const clock = `${withoutSteps(minute)} ${withoutSteps(hour)}`
    const pattern = `${clock} ${day} ${month} ${weekday}`
    const rules = zoneRulesOf(zone)
    const timezone = rules ? 'UTC' : zone
    const cron = new Cron(pattern, { mode: '5-part', paused: true, timezone, domAndDow, fixedTimeRule: 'no-wildcard' })
    const found = (at: number): number | undefined => {
      const time = cron.nextRun(new Date(at * 1000))
      return time ? time.getTime() / 1000 : undefined
    }
    const next = rules ? nextIn(rules, found, !/[*/]/.test(clock)) : found
    if (next(0) === undefined) return { ok: false, why: 'gives no date' }
    const known = remembered(next)
    const shown = (start: number): number | undefined => {
      const time = known(start)
      const isEarly = time !== undefined && time - start < earlySeconds && known(start - earlySeconds) === time
      return isEarly ? known(time) : time
    }
    return { ok: true, times: { due: (start) => known(start + earlySeconds), after: known, shown, isClock: true } }
  } catch {
    return { ok: false, why: `cannot be read: got ${quoted(fields.join(' '))}` }
  }
}

/** Returns `next` with a memory: the host agent asks for the same times often, and croner is slow for rare ones. */
function remembered(next: (at: number) => number | undefined): (at: number) => number | undefined {
  const known = new Map<number, number | undefined>()
  return (at) => {
    if (known.has(at)) return known.get(at)
    if (known.size >= 1000) known.clear()
    const time = next(at)
    known.set(at, time)
    return time
  }
}

/**
 * Writes ranges with a step as lists. When clocks change, cron runs a job with a fixed time once. For cron, a time is
 * fixed unless its field begins with a star, but croner does not count a step as fixed.
 */
const withoutSteps = (field: string): string => (field.startsWith('*') ? field : field.split(',').map(listSteps).join())

function listSteps(part: string): string {
  const [, from, to, step] = (/^(\d{1,2})-(\d{1,2})\/(\d{1,2})$/.exec(part) ?? []).map(Number)
  if (from === undefined || to === undefined || !step || from > to) return part
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step).join()
}

// Finds the next time of a schedule in a zone of which only the offsets are known. When clocks change, the times are
// those of cron, and the same as for a zone that Node knows. Pure; times are Unix seconds, and a local time is stored
// as the Unix time at which UTC has the same date and time.

/** Returns the first time of a schedule after `at`; undefined if there is none. */
type NextTime = (at: number) => number | undefined

const day = 86_400
/** The maximum seconds by which clocks were ever changed, except where a zone left out a whole day. */
const maxChange = 3 * 3600

/**
 * Returns the function that finds the next time after a time. `nextLocal` finds the next local time of the schedule. A
 * job whose hour and minute are fixed runs once if its local time comes twice, and at the change of the clocks if its
 * local time is skipped.
 */
const nextIn = (offsets: ZoneOffset, nextLocal: NextTime, isFixed: boolean): NextTime =>
  isFixed ? (at) => nextFixed(offsets, nextLocal, at) : (at) => nextOfAll(offsets, nextLocal, at)

function nextFixed(offsets: ZoneOffset, nextLocal: NextTime, at: number): number | undefined {
  let local = nextLocal(at + offsets(at) - maxChange)
  while (local !== undefined) {
    const time = timeOf(offsets, local)
    if (time > at) return time
    local = nextLocal(local)
  }
  return undefined
}

/** The first time at which the clocks show a local time. If they skip it, the time at which the clocks change. */
function timeOf(offsets: ZoneOffset, local: number): number {
  const [before, after] = [offsets(local - day), offsets(local + day)]
  const shown = [local - before, local - after].filter((at) => at + offsets(at) === local)
  if (shown.length > 0) return Math.min(...shown)
  return changeAfter(offsets, local - day, local + day) ?? local - after
}

/** Finds the next time of a schedule that is not fixed. Each step of the loop searches up to a change of the clocks. */
function nextOfAll(offsets: ZoneOffset, nextLocal: NextTime, at: number): number | undefined {
  for (let [from, after] = [at, at]; ; ) {
    const offset = offsets(from)
    const local = nextLocal(after + offset)
    if (local === undefined) return undefined
    const change = changeAfter(offsets, from, local - offset)
    if (change === undefined) return local - offset
    ;[from, after] = [change, change - 1]
  }
}
