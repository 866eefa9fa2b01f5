/** Puts together what is known about each job: its records, its schedule, and its runs without a record. Pure. */
import type { JobPlan } from './overdue.ts'
import type { FoundJobs, ShownRun } from './reader.ts'
import { everyTimes, readCron, type Times } from './schedule.ts'
import type { SeenJobs } from './seen.ts'
import type { Unrecorded } from './unrecorded.ts'

/** The schedule of a job in words, and where it comes from. */
export interface JobSchedule {
  readonly every?: number
  readonly cron?: string
  readonly tz?: string
  readonly from: 'crontab' | 'command' | 'person'
}

export interface JobFacts {
  readonly name: string
  /** Absent for a job without a schedule. */
  readonly schedule?: JobSchedule
  readonly plans: readonly JobPlan[]
  readonly runs: readonly ShownRun[]
  readonly unrecorded: readonly Unrecorded[]
}

/** Returns the facts about all jobs, by name. `zone` is that of the machine. */
export function factsOf(found: FoundJobs, seen: SeenJobs, zone: string): JobFacts[] {
  const files = new Map(found.jobs.map((job) => [job.name, job]))
  const lines = byName(seen.lines)
  const unrecorded = byName(found.unrecorded)
  const names = new Set([...files.keys(), ...lines.keys(), ...unrecorded.keys()])
  return [...names]
    .filter((name) => name !== undefined)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => ({
      name,
      ...scheduled(lines.get(name) ?? [], files.get(name)?.note, zone),
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

/** The crontab comes first, then the note of the job. */
function scheduled(
  lines: SeenJobs['lines'],
  note: FoundJobs['jobs'][number]['note'],
  zone: string,
): Pick<JobFacts, 'schedule' | 'plans'> {
  const [first] = lines
  if (first !== undefined) {
    const cron = [...new Set(lines.map((line) => line.cron))].join(' | ')
    const plans = lines.flatMap((line) => planOf(timesOf(line.cron, line.tz ?? zone), line, line.tz ?? zone))
    return { schedule: { cron, ...(first.tz !== undefined && { tz: first.tz }), from: 'crontab' }, plans }
  }
  const { every, cron, tz, by: from = 'command' as const } = note ?? {}
  if (every !== undefined) return { schedule: { every, from }, plans: planOf(everyTimes(every), note, zone) }
  if (cron === undefined) return { plans: [] }
  const plans = planOf(timesOf(cron, tz ?? zone), note, tz ?? zone)
  return { schedule: { cron, ...(tz !== undefined && { tz }), from }, plans }
}

const planOf = (
  times: Times | undefined,
  { since, grace }: { since?: number | undefined; grace?: number | undefined } = {},
  zone: string,
): JobPlan[] => (times === undefined ? [] : [{ times, since, grace, zone }])

/** Schedules are read again every few seconds, and most of them are the same. */
const known = new Map<string, Times | undefined>()
const maxKnown = 2000

function timesOf(cron: string, zone: string): Times | undefined {
  const key = `${cron} ${zone}`
  if (known.has(key)) return known.get(key)
  if (known.size >= maxKnown) known.clear()
  const read = readCron(cron, zone)
  const times = read.ok ? read.times : undefined
  known.set(key, times)
  return times
}
