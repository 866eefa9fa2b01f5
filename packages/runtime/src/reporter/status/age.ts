/**
 * Computes the age of the status file and when it is too old (D65). The usual gap between two writes is learned from
 * the writes themselves. The functions are pure; all times are Unix milliseconds by the clock of this machine.
 */
import { type HealthItem, limits } from '@svc/protocol'
import { agoText, spanText } from '../../machine/base/time.ts'

/** The facts that are remembered about the writes of a status file. */
export interface WriteFacts {
  /** The modification time of the status file at the last check. */
  readonly mtime: number
  /** When the file was written, as far as the clock of this machine can tell. */
  readonly at: number
  /** The time of the last check of the status file. */
  readonly looked: number
  /**
   * The earliest time from which the warning about an old file counts its age. It is set at the first check, and again
   * while the agent rests, after it starts, and after the machine slept or its clock was set.
   */
  readonly since?: number
  /**
   * True if the current gap between two writes is not learned, because the agent rested, started or was suspended in
   * it, or the machine slept or its clock was set.
   */
  readonly broken?: boolean
  /** The mark of the start of the process that ran at the last check. */
  readonly started?: string
  /**
   * `last` is the last gap between two writes of the status file that was learned; `longest` has the longest gap that
   * ended in each hour of the last day.
   */
  readonly last?: number
  readonly longest: readonly Gap[]
}
type Gap = readonly [hour: number, length: number]

/** One check of the status file. */
export interface FileCheck {
  readonly mtime: number
  readonly now: number
  /** True if the agent is paused or its process is down, so that the age of the file means nothing. */
  readonly resting: boolean
  /**
   * True if the agent's process is suspended by a signal such as SIGSTOP. The file's age grows meanwhile, but this gap
   * between two writes is not learned as a usual one.
   */
  readonly halted?: boolean
  readonly started?: string | undefined
  /** The milliseconds of the monotonic clock since the last check; absent at the first check of a reporter. */
  readonly passed?: number | undefined
}

const hourMs = 3_600_000
/** The number of hours for which a gap between two writes is remembered. The last gap is remembered without a limit. */
const rememberedHours = 24
/**
 * The machine slept or its clock was set if the last check is longer ago than `unseenMs`, or if the monotonic clock and
 * the wall clock disagree by more than `disagreeMs`. Reports check the file at least every six minutes.
 */
const unseenMs = 600_000
const disagreeMs = 10_000

/** Adds a check of the status file to the facts about its writes, and learns the gap between two writes from it. */
export function recordCheck(
  before: WriteFacts | undefined,
  { mtime, now, resting, halted = false, ...rest }: FileCheck,
): WriteFacts {
  const started = rest.started === undefined ? {} : { started: rest.started }
  if (!before) return { mtime, at: Math.min(mtime, now), looked: now, since: now, longest: [], ...started }
  const interrupted = resting || before.started !== rest.started || hasJumped(before, now, rest.passed)
  const written = mtime !== before.mtime
  const at = written ? clamp(mtime, Math.min(before.looked, now), now) : Math.min(before.at, now)
  const spoilt = interrupted || halted
  const since = interrupted ? now : before.since
  const broken = spoilt || (before.broken === true && !written)
  const learned = written && !spoilt && before.broken !== true && at > before.at ? at - before.at : undefined
  const last = learned ?? before.last
  return {
    mtime,
    at,
    looked: now,
    ...(since !== undefined && { since: Math.min(since, now) }),
    ...(broken && { broken }),
    ...started,
    ...(last !== undefined && { last }),
    longest: learned === undefined ? before.longest : withGap(before.longest, Math.floor(now / hourMs), learned),
  }
}

function hasJumped({ looked }: WriteFacts, now: number, passed: number | undefined): boolean {
  const wall = now - looked
  return wall < 0 || wall > unseenMs || (passed !== undefined && Math.abs(wall - passed) > disagreeMs)
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)

function withGap(gaps: readonly Gap[], hour: number, length: number): Gap[] {
  const kept = gaps.filter(([h]) => h > hour - rememberedHours && h !== hour && h < hour)
  const same = gaps.find(([h]) => h === hour)?.[1] ?? 0
  return [...kept, [hour, Math.max(same, length)]]
}

/**
 * Adds a check of the status file by a command. Unlike `recordCheck`, this learns no gap between writes and does not
 * notice that the machine slept.
 */
export function recordSingleCheck(before: WriteFacts | undefined, mtime: number, now: number): WriteFacts {
  const at = Math.min(before?.mtime === mtime ? before.at : mtime, now)
  const { since, ...rest } = before ?? { since: now, longest: [] }
  return { ...rest, ...(since !== undefined && { since: Math.min(since, now) }), mtime, at, looked: now }
}

/** The longest usual gap between two writes, in milliseconds; undefined until a gap has been learned. */
function usualGap({ last, longest }: WriteFacts, now: number): number | undefined {
  if (last === undefined) return undefined
  const since = Math.floor(now / hourMs) - rememberedHours
  return Math.max(last, ...longest.filter(([hour]) => hour > since).map(([, length]) => length))
}

/** The age in milliseconds from which the status file is too old (D65, D67). */
export function lateAfter(writes: WriteFacts, now: number): number {
  const usual = usualGap(writes, now)
  if (usual === undefined) return limits.statusOnceSeconds * 1000
  return Math.max(limits.statusLateSeconds * 1000, limits.statusLateGaps * usual)
}

/** True if the status file is so old that its content is shown together with the time of its last write. */
export function isStatusOld(writes: WriteFacts, now: number): boolean {
  const usual = usualGap(writes, now) ?? 0
  return isLate(writes, now) || now - writes.at > Math.max(limits.statusOldSeconds * 1000, limits.statusOldGaps * usual)
}

const isLate = (writes: WriteFacts, now: number): boolean =>
  now - Math.max(writes.at, writes.since ?? 0) > lateAfter(writes, now)

/**
 * The health item about the age of the status file, for reports and for commands on the machine; undefined while the
 * file is new.
 */
export function ageItem(writes: WriteFacts, now: number): HealthItem | undefined {
  const age = now - writes.at
  if (age <= limits.statusOldSeconds * 1000) return undefined
  const written = `Written ${agoText(age / 1000)}`
  if (!isLate(writes, now)) return { name: 'Status file', level: 'info', detail: `${written}.` }
  const usual = usualGap(writes, now)
  return {
    name: 'Status file',
    level: 'warn',
    detail:
      usual === undefined
        ? `${written}. Nothing has written it again, so what it says may no longer be true.`
        : `${written}, although it is usually written at least every ${spanText(Math.ceil(usual / 1000))}.`,
  }
}
