/**
 * Puts together what is known about each job: its records, its schedule, and its runs without a record. The functions
 * are pure, except that they read the files of time zones.
 */
import { libcZone, zoneNamed } from './machine-zone.ts'
import { type JobPlan, lateSince } from './overdue.ts'
import type { FoundJobs, ShownRun } from './reader.ts'
import { readCron, type ScheduledTimes, timesEvery } from './schedule.ts'
import type { SeenJobs } from './seen.ts'
import type { UnrecordedRun } from './unrecorded.ts'

/** The schedule of a job as it was written, and where it comes from. */
interface JobSchedule {
  readonly every?: number
  readonly cron?: string
  readonly tz?: string
  readonly from: 'crontab' | 'command' | 'person'
}

/** The facts about one job from which it is judged. */
export interface JobFacts {
  readonly name: string
  /** Absent for a job without a schedule. */
  readonly schedule?: JobSchedule
  readonly plans: readonly JobPlan[]
  /** Why svc does not know when the job is due, without a full stop. Absent if its schedule is understood. */
  readonly unclear?: string
  /** If the job was overdue when the clock was set back: the time since when it was overdue. */
  readonly late?: number | undefined
  readonly runs: readonly ShownRun[]
  readonly unrecorded: readonly UnrecordedRun[]
}

/** Returns the facts about all jobs, by name. `zone` is that of the machine. */
export function jobFactsOf(found: FoundJobs, seenJobs: SeenJobs, zone: string): JobFacts[] {
  const files = new Map(found.jobs.map((job) => [job.name, job]))
  const lines = byName(seenJobs.lines)
  const unrecorded = byName(found.unrecorded)
  const late = byName(seenJobs.late ?? [])
  const names = new Set([...files.keys(), ...lines.keys(), ...unrecorded.keys()])
  const machine = { zone, ...(seenJobs.zone === zone && seenJobs.zoned !== undefined && { zoned: seenJobs.zoned }) }
  return [...names]
    .filter((name) => name !== undefined)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => ({
      name,
      ...scheduled(lines.get(name) ?? [], files.get(name)?.note, machine),
      late: lateSince(late.get(name)?.[0], files.get(name)?.runs ?? []),
      runs: files.get(name)?.runs ?? [],
      unrecorded: unrecorded.get(name) ?? [],
    }))
}

function byName<T extends { readonly name?: string }>(all: readonly T[]): Map<string | undefined, T[]> {
  const groups = new Map<string | undefined, T[]>()
  for (const one of all) {
    const group = groups.get(one.name)
    if (group) group.push(one)
    else groups.set(one.name, [one])
  }
  return groups
}

/** The time zone of the machine, and when the machine got this zone, if that was noticed. */
type Machine = Pick<JobPlan, 'zone' | 'zoned'>

/** Finds the plans of a job: those of its crontab lines or, without such a line, the one of its `job.json`. */
function scheduled(
  lines: SeenJobs['lines'],
  note: FoundJobs['jobs'][number]['note'],
  machine: Machine,
): Pick<JobFacts, 'schedule' | 'plans' | 'unclear'> {
  const [first] = lines
  if (first !== undefined) {
    const cron = [...new Set(lines.map((line) => line.cron))].join(' | ')
    const plans = lines.map((line) => clockPlan(line, machine, libcZone))
    return {
      schedule: { cron, ...(first.tz !== undefined && { tz: first.tz }), from: 'crontab' },
      ...plansAndUnclear(plans),
    }
  }
  const { every, cron, tz, since, grace, by: from = 'command' as const } = note ?? {}
  if (every !== undefined)
    return { schedule: { every, from }, plans: [{ times: timesEvery(every), since, grace, zone: machine.zone }] }
  if (cron === undefined) return { plans: [] }
  const plan = clockPlan({ cron, tz, since, grace }, machine, zoneNamed)
  return { schedule: { cron, ...(tz !== undefined && { tz }), from }, ...plansAndUnclear([plan]) }
}

interface WrittenPlan extends Pick<JobPlan, 'since' | 'grace'> {
  readonly cron: string
  readonly tz?: string | undefined
}

/** The plan of a schedule, or why there is none. `named` finds the zone that the schedule names. */
function clockPlan(
  { cron, tz, since, grace }: WrittenPlan,
  machine: Machine,
  named: (tz: string) => string | undefined,
): JobPlan | string {
  const clock = tz === undefined ? machine : { zone: named(tz) }
  const { zone } = clock
  if (zone === undefined) return 'its time zone is not understood'
  const times = timesOf(cron, zone)
  return times === undefined ? 'its schedule is not understood' : { times, since, grace, ...clock, zone }
}

function plansAndUnclear(plans: readonly (JobPlan | string)[]): Pick<JobFacts, 'plans' | 'unclear'> {
  const unclear = plans.find((plan) => typeof plan === 'string')
  return {
    plans: plans.filter((plan) => typeof plan !== 'string'),
    ...(unclear !== undefined && { unclear }),
  }
}

/** The schedules that were read before. The host agent reads them every few seconds, and most do not change. */
const known = new Map<string, ScheduledTimes | undefined>()
const maxKnown = 2000

function timesOf(cron: string, zone: string): ScheduledTimes | undefined {
  const key = `${cron} ${zone}`
  if (known.has(key)) return known.get(key)
  if (known.size >= maxKnown) known.clear()
  const read = readCron(cron, zone)
  const times = read.ok ? read.times : undefined
  known.set(key, times)
  return times
}
