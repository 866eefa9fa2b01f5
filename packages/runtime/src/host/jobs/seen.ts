/**
 * The note `state/seen.json`: the jobs in the last table of the crontab that could be read, when each schedule was
 * first seen, and when the machine last woke up. It holds no text of the table besides names, schedules and zones.
 */
import { join } from 'node:path'
import { boolean, exactText, type FieldValue, field, integer, list, object, oneOf } from '@svc/protocol/fields'
import type { readCrontab } from './crontab.ts'
import { readOwnJson, replaceJson } from './files.ts'
import { isJobName } from './paths.ts'

const name = field((v) => (typeof v === 'string' && isJobName(v) ? v : undefined), { type: 'string' })
const line = object(
  {
    name,
    cron: exactText(1000),
    /** The zone of `CRON_TZ`, if this cron obeys it. */
    tz: exactText(1000),
    grace: integer(1),
    /** When the schedule was first seen. Absent if only `svc jobs` saw it. */
    since: integer(0),
  },
  'name',
  'cron',
)
const fault = object({ line: integer(1), of: oneOf(['call', 'schedule', 'line']) }, 'line', 'of')
const ahead = object({ of: exactText(200), at: integer(0) }, 'of', 'at')
const late = object(
  {
    name,
    since: integer(0),
    /** The id of the oldest run that lived when the clock was set back or, if none lived, of the newest run. */
    run: exactText(200),
    lives: boolean,
  },
  'name',
  'since',
)
const note = object({
  lines: list(line, 1000),
  /** The lines that cannot be read: a wrong call of svc, a wrong schedule, or no line of a crontab at all. */
  faults: list(fault, 100),
  /** When the table was read, in Unix seconds. */
  read: integer(0),
  /** When the host agent last asked for the table, in Unix seconds. */
  looked: integer(0),
  /** When the machine last started or woke up. */
  woke: integer(0),
  /** When the machine was last seen awake before that start or wake-up. */
  slept: integer(0),
  /** The time zone of the machine, and when it got this zone, if it had another one before. */
  zone: exactText(1000),
  zoned: integer(0),
  /** The times in notes and records that were in the future, each with the time `at` that replaces it. */
  ahead: list(ahead, 1000),
  /** The jobs that were overdue when the clock was set back, each with the start of the delay and one of its runs. */
  late: list(late, 1000),
})

type SeenLine = Readonly<FieldValue<typeof line>>
export type SeenFault = Readonly<FieldValue<typeof fault>>
/** The content of the note. */
export interface SeenJobs {
  readonly lines: readonly SeenLine[]
  readonly faults: readonly SeenFault[]
  readonly read?: number
  readonly looked?: number
  readonly woke?: number
  readonly slept?: number
  readonly zone?: string
  readonly zoned?: number
  readonly ahead?: readonly { readonly of: string; readonly at: number }[]
  readonly late?: readonly Readonly<FieldValue<typeof late>>[]
}
/** The note of a host agent that has not read a crontab yet. */
export const nothingSeen: SeenJobs = { lines: [], faults: [] }

const fileIn = (state: string): string => join(state, 'seen.json')
export const readSeen = (state: string): SeenJobs => ({ ...nothingSeen, ...readOwnJson(fileIn(state), note) })
export const writeSeen = (state: string, seenJobs: SeenJobs): void => replaceJson(fileIn(state), seenJobs)

/** Forgets the lines of the crontab, because no host agent shows them now. */
export function forgetLines(state: string): void {
  const seenJobs = readSeen(state)
  if (seenJobs.lines.length > 0) writeSeen(state, { ...seenJobs, lines: [], faults: [] })
}

interface SeenOptions {
  /** The present time in Unix seconds. */
  readonly now: number
  /** True if `now` is noted as the time at which a new schedule was first seen. */
  readonly remembers: boolean
  /** True if this cron obeys `CRON_TZ`. */
  readonly obeysTz: boolean
}

/**
 * Returns the note after the crontab `table` was read. A schedule that was seen before keeps the time at which it was
 * first seen.
 */
export function seenAfter(before: SeenJobs, table: ReturnType<typeof readCrontab>, options: SeenOptions): SeenJobs {
  const faults: SeenFault[] = []
  const lines = table.flatMap((entry): SeenLine[] => {
    if (entry.is === 'unreadable') faults.push({ line: entry.number, of: 'line' })
    if (entry.is !== 'entry' || entry.calls.length === 0) return []
    if (entry.wrong !== undefined) faults.push({ line: entry.number, of: 'schedule' })
    if (entry.calls.some(({ wrong }) => wrong !== undefined)) faults.push({ line: entry.number, of: 'call' })
    if (entry.wrong !== undefined) return []
    const cron = entry.fields.split(/[ \t]+/).join(' ')
    // An empty CRON_TZ counts as missing, as it does for cron.
    const tz = (options.obeysTz ? entry.environment.CRON_TZ : undefined) || undefined
    return entry.calls.flatMap(({ name, grace }) => {
      if (name === undefined) return []
      const known = before.lines.find((one) => one.name === name && one.cron === cron && one.tz === tz)
      const since = known?.since ?? (options.remembers ? options.now : undefined)
      const given = { ...(tz && { tz }), ...(grace !== undefined && { grace }), ...(since !== undefined && { since }) }
      return [{ name, cron, ...given }]
    })
  })
  return { ...before, lines, faults: faults.slice(0, 100), read: options.now }
}

/** Returns the note of a machine that started or woke up at `woke`, and was last seen awake before that at `slept`. */
export function withWakeUp(before: SeenJobs, woke: number, slept = before.looked): SeenJobs {
  if (before.woke === woke) return before
  const { slept: _earlier, ...rest } = before
  return { ...rest, woke, ...(slept !== undefined && slept <= woke && { slept }) }
}

/**
 * Returns the note with the machine's time zone and, if the note had another zone, with `now` as the time of the
 * change.
 */
export function noteZone(before: SeenJobs, zone: string, now: number): SeenJobs {
  if (before.zone === zone) return before
  return { ...before, zone, ...(before.zone !== undefined && { zoned: Math.floor(now) }) }
}
