/**
 * How old the status file is, and from when on that is too old (D65). The usual gap between two writes is learned from the writes
 * themselves. Pure; all times are Unix milliseconds by the clock of this machine.
 */
import { type HealthItem, limits } from '@svc/protocol'
import { ago } from '../time.ts'

/** What is remembered of the writes of a status file. */
export interface Writes {
  /** The modification time of the file at the last look. */
  readonly mtime: number
  /** When the file was written, as far as the clock of this machine can tell. */
  readonly at: number
  /** The last look. */
  readonly looked: number
  /** The last moment at which the agent rested, started, or at which nobody had looked for a while. A warning counts from here. */
  readonly since?: number
  /** The gap since the last write spans a rest, so it says nothing of how often the agent writes. */
  readonly broken?: boolean
  /** The start of the process that ran at the last look. */
  readonly started?: string
  /** The last gap that was learned, and the longest one that ended in each hour of the last day. */
  readonly last?: number
  readonly longest: readonly Gap[]
}
type Gap = readonly [hour: number, length: number]

export interface FileLook {
  readonly mtime: number
  readonly now: number
  /** The agent is paused, or its process is down: the age of the file means nothing. */
  readonly resting: boolean
  /** Its process is stopped by a signal. The age goes on, but such a gap is not learned. */
  readonly halted?: boolean
  readonly started?: string | undefined
  /** Milliseconds of the monotonic clock since the last look; absent at the first look of a reporter. */
  readonly passed?: number | undefined
}

const hourMs = 3_600_000
/** So many hours back a gap counts; the last one counts however old it is. */
const hours = 24
/** A gap is usual up to so many times the longest one that was seen. */
const patience = 4
/** Reports come every 5 to 300 s. Where nobody looked for longer, or the two clocks disagree by more, the machine slept, or its clock was set. */
const unseenMs = 600_000
const disagreeMs = 10_000

/** What is remembered after one more look. */
export function look(before: Writes | undefined, { mtime, now, resting, halted = false, ...rest }: FileLook): Writes {
  const started = rest.started === undefined ? {} : { started: rest.started }
  if (!before) return { mtime, at: Math.min(mtime, now), looked: now, longest: [], ...started }
  const interrupted = resting || before.started !== rest.started || jumped(before, now, rest.passed)
  const written = mtime !== before.mtime
  const at = written ? within(mtime, Math.min(before.looked, now), now) : Math.min(before.at, now)
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

function jumped({ looked }: Writes, now: number, passed: number | undefined): boolean {
  const wall = now - looked
  return wall < 0 || wall > unseenMs || (passed !== undefined && Math.abs(wall - passed) > disagreeMs)
}

const within = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)

function withGap(gaps: readonly Gap[], hour: number, length: number): Gap[] {
  const kept = gaps.filter(([h]) => h > hour - hours && h !== hour && h < hour)
  const same = gaps.find(([h]) => h === hour)?.[1] ?? 0
  return [...kept, [hour, Math.max(same, length)]]
}

/** The same for a reader who only looks now and then, and learns nothing: sleeps and clocks are left to the reporter. */
export function glance(before: Writes | undefined, mtime: number, now: number): Writes {
  const at = Math.min(before?.mtime === mtime ? before.at : mtime, now)
  return { longest: [], ...before, mtime, at, looked: now }
}

/** From which age on the file is too old; undefined until a gap has been learned. */
export function lateAfter({ last, longest }: Writes, now: number): number | undefined {
  if (last === undefined) return undefined
  const since = Math.floor(now / hourMs) - hours
  const usual = Math.max(last, ...longest.filter(([hour]) => hour > since).map(([, length]) => length))
  return Math.max(limits.statusLateSeconds * 1000, patience * usual)
}

/** What a report and the commands on the machine say of the age; undefined while the file is new enough. */
export function ageItem(writes: Writes, now: number): HealthItem | undefined {
  const age = now - writes.at
  if (age <= limits.statusOldSeconds * 1000) return undefined
  const late = lateAfter(writes, now)
  const isLate = late !== undefined && now - Math.max(writes.at, writes.since ?? 0) > late
  const usual = isLate ? `, although it is usually written at least every ${span(late / patience)}` : ''
  return { name: 'Status file', level: isLate ? 'warn' : 'info', detail: `Written ${ago(age / 1000)}${usual}.` }
}

/** `30 s`, `5 min`. */
const span = (ms: number): string => ago(Math.ceil(ms / 1000)).replace(/ ago$/, '')
