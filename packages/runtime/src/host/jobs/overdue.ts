/**
 * Decides when a job is overdue. The functions are pure: they know the last start of the job, its schedules, and when
 * the machine last woke up. All times are Unix seconds.
 */
import type { ShownRun } from './reader.ts'
import type { ScheduledTimes } from './schedule.ts'
import type { SeenJobs } from './seen.ts'
import { offsetAt } from './zone.ts'

/** One schedule of a job. A job has several if several lines of the crontab have its name. */
export interface JobPlan {
  readonly times: ScheduledTimes
  /** When this schedule was first given. It counts as the last start until a later run begins. */
  readonly since?: number | undefined
  /** The time that a run may be late, in seconds, if a person set it. */
  readonly grace?: number | undefined
  /** The zone by whose clocks the job runs. */
  readonly zone: string
  /** When the machine got this zone, if it had another one before. Scheduled times before this moment do not count. */
  readonly zoned?: number | undefined
}

interface JobStarts {
  /** The last start of a run, whether it was recorded or not. */
  readonly last?: number | undefined
  /** True while a run of the job lives. */
  readonly lives: boolean
  /** The time at which the oldest run in progress began. */
  readonly oldest?: number | undefined
  /** A run that has lived for fewer than this many seconds is never overdue. */
  readonly mayLive?: number | undefined
  /** When the machine last started, or woke up. */
  readonly woke?: number | undefined
  /** When the machine was last seen awake before that start or wake-up. */
  readonly slept?: number | undefined
}

interface DueRun {
  /** The time at which the next run is due, or was due. */
  readonly due: number
  /** The due time that people are shown. A run may begin a minute early, so `due` may be one scheduled time later. */
  readonly shown: number
  /** The job is overdue if no run starts by this time. */
  readonly until: number
  /** True if a run in progress has to end by `until`; false or absent if the next run has to begin. */
  readonly isEnd?: boolean
}

/**
 * Returns when the next run has to begin, or when the oldest run in progress has to end, whichever makes the job
 * overdue first. Undefined if the job is never overdue.
 */
export function dueRun(plans: readonly JobPlan[], starts: JobStarts): DueRun | undefined {
  const { last, lives, oldest, mayLive = 0 } = starts
  // While a run is in progress, one scheduled time may pass, but the run has to end before the second one.
  const begin = dueAfter(plans, last, lives ? 1 : 0, starts)
  const end = oldest === undefined ? undefined : dueAfter(plans, oldest, 1, starts, oldest + mayLive)
  if (begin === undefined || end === undefined) return begin ?? end
  return end.until < begin.until ? { ...end, isEnd: true } : begin
}

/** Returns the time after a start when a run is due, past the first `skipped` times and not before `earliest`. */
function dueAfter(
  plans: readonly JobPlan[],
  start: number | undefined,
  skipped: 0 | 1,
  { woke = Number.NEGATIVE_INFINITY, slept = Number.NEGATIVE_INFINITY }: JobStarts,
  earliest = Number.NEGATIVE_INFINITY,
): DueRun | undefined {
  const [queue, shown] = [firstTimes(plans, start, 'due'), firstTimes(plans, start, 'shown')]
  if (skipped > 0) for (const times of [queue, shown]) takeNext(times)
  const first = takeNext(queue)
  if (first === undefined) return undefined
  const next = takeNext(queue)
  const due = Math.max(first.at, earliest)
  const grace = Math.max(...first.plans.map((plan) => graceOf(plan, first.at, next?.at)))
  // A job that was overdue when the machine fell asleep is still overdue when it wakes up.
  const until = due + grace < slept ? due + grace : Math.max(due, woke) + grace
  return { due, shown: Math.max(takeNext(shown)?.at ?? due, earliest), until }
}

export const isOverdue = (due: DueRun | undefined, now: number): boolean => due !== undefined && now > due.until

/**
 * The next time at which the job should begin. A job whose schedule is a number of seconds has none while it is
 * overdue.
 */
export function nextStart(plans: readonly JobPlan[], last: number | undefined, now: number): number | undefined {
  const next = plans.map((plan) => {
    const first = firstTimes([plan], last, 'shown')[0]?.at
    if (first !== undefined && first > now) return first
    return plan.times.isClock ? plan.times.after(now) : undefined
  })
  return earliestOf(next.filter((at) => at !== undefined))
}

interface QueuedPlan {
  readonly plan: JobPlan
  at: number
}

/**
 * The first time of each schedule after a start. `by` selects the times by which a job is judged (`due`) or those that
 * people are shown (`shown`).
 */
function firstTimes(plans: readonly JobPlan[], last: number | undefined, by: 'due' | 'shown'): QueuedPlan[] {
  return plans.flatMap((plan) => {
    const start = Math.max(last ?? Number.NEGATIVE_INFINITY, plan.since ?? Number.NEGATIVE_INFINITY)
    if (!Number.isFinite(start)) return []
    const zoned = (plan.times.isClock ? plan.zoned : undefined) ?? Number.NEGATIVE_INFINITY
    // Only a run may start shortly before its scheduled time. `since` and `zoned` are no starts of runs.
    const isRun = start === last && start > zoned
    const from = Math.max(start, zoned)
    const at =
      by === 'due'
        ? plan.times.due(from)
        : isRun || !plan.times.isClock
          ? plan.times.shown(from)
          : plan.times.after(from)
    return at === undefined ? [] : [{ plan, at }]
  })
}

/**
 * Takes the earliest time out of the queue, with the schedules that have it. These schedules stay in the queue with
 * their next times.
 */
function takeNext(queue: QueuedPlan[]): { readonly at: number; readonly plans: readonly JobPlan[] } | undefined {
  const at = earliestOf(queue.map((one) => one.at))
  if (at === undefined) return undefined
  const due = queue.filter((one) => one.at === at)
  for (const one of due) one.at = one.plan.times.after(at) ?? Number.POSITIVE_INFINITY
  return { at, plans: due.map(({ plan }) => plan) }
}

const earliestOf = (times: readonly number[]): number | undefined => {
  const min = Math.min(...times)
  return Number.isFinite(min) ? min : undefined
}

const minute = 60
const hour = 60 * minute
const minGrace = 5 * minute
const maxGrace = 2 * hour

/** The seconds that a run may be late. An hour is added when clocks change, since versions of cron differ then. */
function graceOf({ grace, zone }: JobPlan, due: number, next = Number.POSITIVE_INFINITY): number {
  const usual = grace ?? Math.min(Math.max((next - due) / 10, minGrace), maxGrace)
  return clocksChanged(zone, due) ? usual + hour : usual
}

/** True if the clocks of a zone change in the hour after `due`, or have changed in the three hours before it. */
const clocksChanged = (zone: string, due: number): boolean =>
  offsetAt(zone, due - 3 * hour - 1) !== offsetAt(zone, due + hour)

// A job that is overdue when the clock of the machine is set back stays overdue until a run begins, or until the run
// that should have ended has ended. A note keeps this, since the job's times seem to be in the future then.

type LateNote = NonNullable<SeenJobs['late']>[number]

/** The note about a job that has been overdue since this time. */
export function lateNote(name: string, since: number, runs: readonly ShownRun[]): LateNote {
  const oldest = runs.findLast(isAlive)
  const run = (oldest ?? runs[0])?.id
  return { name, since: Math.floor(since), lives: oldest !== undefined, ...(run !== undefined && { run }) }
}

/**
 * Returns the time since when a job has been overdue according to its note. Undefined without a note, and for a job
 * that is no longer overdue.
 */
export function lateSince(late: LateNote | undefined, runs: readonly ShownRun[]): number | undefined {
  if (late === undefined) return undefined
  const stays = late.lives ? runs.some((run) => run.id === late.run && isAlive(run)) : runs[0]?.id === late.run
  return stays ? late.since : undefined
}

const isAlive = ({ status }: ShownRun): boolean => status === 'running'
