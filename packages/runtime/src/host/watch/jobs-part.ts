/**
 * The section *jobs* of the host agent's status. It is a pure function of the facts about jobs and a time. No command
 * line reaches this code. A run is shown only with its times, its codes and the facts that its command reported.
 */
import {
  failedLogName,
  jobLogName,
  type Level,
  levelRank,
  levels,
  limits,
  type Panel,
  type Run,
  worstLevel,
} from '@svc/protocol'
import { counted } from '../../machine/base/sentence.ts'
import { spanText } from '../../machine/base/time.ts'
import { jobFactsOf } from '../jobs/facts.ts'
import { endWords, type JobJudgeContext, type JudgedJob, judgeJob, weekSeconds } from '../jobs/judge.ts'
import type { FoundJobs, ShownRun } from '../jobs/reader.ts'
import type { SeenFault, SeenJobs } from '../jobs/seen.ts'
import { clockText } from '../jobs/zone.ts'
import type { StatusPart } from './sections.ts'

/** The facts about the machine by which the section *jobs* is made. */
export interface JobsJudgeContext extends JobJudgeContext {
  /** Why the crontab could not be read, as the end of a sentence that begins with `crontab -l`. */
  readonly failed?: string | undefined
}

/** The maximum number of items for jobs. A status keeps fifty items, and other sections need some of them. */
const maxItems = 22
const maxRuns = 300
/** The number of newest runs besides the last run of each job. */
const newestRuns = 100
/** The maximum size of the runs in bytes. Runs with many subjects could otherwise fill the 256 KB of a status file. */
const maxRunBytes = 100 * 1024

/** Returns all jobs that are to be reported, the worst first. */
export const judgedJobs = (found: FoundJobs, seenJobs: SeenJobs, context: JobJudgeContext): JudgedJob[] =>
  jobFactsOf(found, seenJobs, context.zone)
    .map((facts) => judgeJob(facts, context))
    .filter(({ isOver }) => !isOver)
    .sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level))

export function jobsPart(found: FoundJobs, seenJobs: SeenJobs, context: JobsJudgeContext): StatusPart {
  const jobs = judgedJobs(found, seenJobs, context)
  const others = generalItems(found, seenJobs, context)
  return {
    health: [...jobItems(jobs), ...others],
    label: labelOf(jobs, others, found.closed.length),
    active: activeOf(jobs).slice(0, limits.active),
    runs: runsOf(jobs),
    panels: jobs.length === 0 ? [] : [panelOf(jobs, context)],
  }
}

type Item = StatusPart['health'][number]

const needs = ({ level }: { level: Level }): boolean => level === 'bad' || level === 'warn'

function jobItems(jobs: readonly JudgedJob[]): Item[] {
  const items = jobs
    .slice(0, maxItems)
    .map((job) => ({ name: `Job ${job.name}`, level: job.level, detail: job.detail() }))
  const rest = jobs.slice(maxItems)
  if (rest.length === 0) return items
  const need = rest.filter(needs).length
  const detail = `${rest.length} more, ${need === 0 ? 'all well' : `${need} need you`}`
  return [...items, { name: 'Jobs', level: worstLevel(rest.map(({ level }) => level)), detail }]
}

/** The items about the crontab and the records as a whole. Each is there only if there is something to say. */
export const generalItems = (found: FoundJobs, seenJobs: SeenJobs, context: JobsJudgeContext): Item[] =>
  [crontabItem(seenJobs, context), recordsItem(found, context)].filter((item) => item !== undefined)

function crontabItem({ faults, read }: SeenJobs, { failed, now, zone }: JobsJudgeContext): Item | undefined {
  const says = (Object.keys(faultWords) as SeenFault['of'][]).flatMap((of) => {
    const lines = faults.filter((fault) => fault.of === of).map(({ line }) => line)
    return lines.length === 0 ? [] : [faultWords[of](`line ${lines.slice(0, 10).join(', ')}`)]
  })
  const holds = read === undefined ? 'no table was read yet' : `the table of ${clockText(read, now, zone)} still counts`
  if (failed !== undefined) says.push(`"crontab -l" ${failed}; ${holds}`)
  if (says.length === 0) return undefined
  const isBad = faults.some(({ of }) => of !== 'line')
  return { name: 'Crontab', level: isBad ? 'bad' : 'warn', detail: says.join('; ') }
}

const faultWords: Readonly<Record<SeenFault['of'], (lines: string) => string>> = {
  call: (lines) => `${lines}: the words before "--" cannot be read, so the command runs without a record`,
  schedule: (lines) => `${lines}: the schedule cannot be read, so nobody notices a run that is missing`,
  line: (lines) => `${lines}: not a line that cron knows`,
}

/** With more jobs than this, an item advises against dates in names of jobs, since each job takes time and memory. */
const manyJobs = 1000

function recordsItem({ jobs, passedOver, closed, unrecorded }: FoundJobs, { now }: JobJudgeContext): Item | undefined {
  const unnamed = unrecorded.filter(({ name, at }) => name === undefined && at > now - weekSeconds).length
  const says = [
    ...(passedOver === 0 ? [] : [`${counted(passedOver, 'record')} cannot be read, or have a time in the future`]),
    ...(closed.length === 0 ? [] : [`the folder of ${closed.slice(0, 5).join(', ')} cannot be read`]),
    ...(jobs.length <= manyJobs ? [] : [`there are ${jobs.length} jobs: a name should have no date in it`]),
    ...(unnamed === 0 ? [] : [`${counted(unnamed, 'run')} in 7 days without a record and without the name of a job`]),
  ]
  return says.length === 0 ? undefined : { name: 'Records', level: 'info', detail: says.join('; ') }
}

/** The label for all items. It says `all well` only if no item needs a person and every job folder can be read. */
function labelOf(jobs: readonly JudgedJob[], others: readonly Item[], closed: number): string {
  const need = jobs.filter(needs)
  const all = counted(jobs.length, 'job')
  const [first] = need
  if (first !== undefined)
    return need.length === 1 ? `${first.name}: ${first.short}` : `${need.length} of ${all} need you`
  if (jobs.length === 0 && !others.some(needs)) return 'no jobs yet'
  const other = [...others].sort((a, b) => levelRank[b.level] - levelRank[a.level]).find(needs)
  if (other) return `${jobs.length === 0 ? 'no jobs yet' : all}, ${otherWords[other.name] ?? `${other.name} needs you`}`
  return closed > 0 ? `${all}, and ${closed} whose records cannot be read` : `${all}, all well`
}

/** The words in a label about an item that is not about a job. */
const otherWords: Readonly<Record<string, string>> = { Crontab: 'but the crontab needs you' }

const subjectOf = (name: string) => ({ title: name })

/** The runs in progress. The oldest of each job comes first, because it is the most likely one to hang. */
function activeOf(jobs: readonly JudgedJob[]): NonNullable<StatusPart['active']> {
  const all = jobs.flatMap((job) => job.running.map((run, at) => ({ job, run, copy: job.running.length - 1 - at })))
  return all
    .sort((a, b) => a.copy - b.copy)
    .map(({ job: { name, usual }, run: { started, log } }) => ({
      kind: 'job',
      started,
      subjects: [subjectOf(name)],
      ...(usual !== undefined && { detail: `usually ${spanText(usual)}` }),
      ...(log !== undefined && { log }),
    }))
}

/**
 * The runs to report: for each job, the newest run, the run that decides its level (`ended`), the oldest run in
 * progress, and the run whose output the last failure replaced in `failed.log`. The newest runs of all jobs follow.
 */
function runsOf(jobs: readonly JudgedJob[]): Run[] {
  const printed = new Set(jobs.flatMap(({ name, runs }) => newestPrinted(name, runs)))
  const last = jobs.flatMap(({ name, runs, ended, running }) =>
    [runs[0], ended, running.at(-1), replacedPrint(name, runs)].flatMap((run) => (run ? [{ name, run }] : [])),
  )
  const all = [...last.sort((a, b) => b.run.started - a.run.started), ...newestOf(jobs)]
  const byId = new Map(all.map((one) => [`${one.name}/${one.run.id}`, one]))
  let bytes = 0
  return [...byId.values()]
    .slice(0, maxRuns)
    .map((one) => reported(one, printed.has(one.run)))
    .filter((run) => {
      bytes += Buffer.byteLength(JSON.stringify(run))
      return bytes <= maxRunBytes
    })
}

/**
 * The newest runs of all jobs. They are found without sorting all runs, which may be fifty thousand: only the jobs with
 * the newest last runs can have one of them.
 */
function newestOf(jobs: readonly JudgedJob[]): NamedRun[] {
  const queues = jobs
    .map(({ name, runs }) => ({ name, runs, at: 0 }))
    .sort((a, b) => (b.runs[0]?.started ?? 0) - (a.runs[0]?.started ?? 0))
    .slice(0, newestRuns)
  const found: NamedRun[] = []
  while (found.length < newestRuns) {
    let newest: { readonly queue: (typeof queues)[number]; readonly run: ShownRun } | undefined
    for (const queue of queues) {
      const run = queue.runs[queue.at]
      if (run && (newest === undefined || run.started > newest.run.started)) newest = { queue, run }
    }
    if (newest === undefined) break
    found.push({ name: newest.queue.name, run: newest.run })
    newest.queue.at++
  }
  return found
}

interface NamedRun {
  readonly name: string
  readonly run: ShownRun
}

/** A list with the newest run that names `failed.log`, which is the run whose output is in it. Empty without one. */
const newestPrinted = (name: string, runs: readonly ShownRun[]): ShownRun[] =>
  runs.filter(({ log }) => log === failedLogName(name)).slice(0, 1)

/**
 * The second newest run that names `failed.log`. It is reported again with another log, because the service still
 * stores `failed.log` for it.
 */
const replacedPrint = (name: string, runs: readonly ShownRun[]): ShownRun | undefined =>
  runs.filter(({ log }) => log === failedLogName(name))[1]

/**
 * A run as it is reported. `isPrinted` is true if `failed.log` has its output. Any other run that names `failed.log` is
 * reported with the log of the job instead, since a later failure has replaced `failed.log`.
 */
const reported = ({ name, run }: NamedRun, isPrinted: boolean): Run => {
  const { id, status, started, ended, cost_usd, output_tokens, models, subjects = [subjectOf(name)], log } = run
  return {
    ...{ id: `${name}/${id}`, kind: 'job', status, started, subjects },
    ...(ended !== undefined && { ended }),
    ...(cost_usd !== undefined && { cost_usd }),
    ...(output_tokens !== undefined && { output_tokens }),
    ...(models !== undefined && { models }),
    ...(log !== undefined && { log: isPrinted || log !== failedLogName(name) ? log : jobLogName(name) }),
  }
}

const panelOf = (jobs: readonly JudgedJob[], { now, zone }: JobJudgeContext): Panel => ({
  type: 'table',
  title: 'Jobs',
  columns: ['Job', 'Last', 'Took', 'Next'],
  rows: jobs
    .slice(0, limits.panelItems)
    .map(({ name, running, last, ended, next, isOverdue, short }) => [
      name,
      lastOf({ running, last, ended, short }, (time) => clockText(time, now, zone)),
      ended?.ended === undefined ? '–' : spanText(ended.ended - ended.started),
      isOverdue ? short : next === undefined ? '–' : clockText(next, now, zone),
    ]),
})

/**
 * The last run in words. A run in progress does not hide an earlier failure, and among several runs in progress the
 * oldest is shown.
 */
function lastOf(
  { running, last, ended, short }: Pick<JudgedJob, 'running' | 'last' | 'ended' | 'short'>,
  at: (time: number) => string,
): string {
  const oldest = running.at(-1)
  const end = ended && `${endWords(ended)} ${at(ended.ended ?? ended.started)}`
  if (oldest === undefined) return end ?? last?.status ?? short
  const lives = `${running.length > 1 ? `${running.length} ` : ''}running since ${at(oldest.started)}`
  return end !== undefined && ended?.status !== 'ok' ? `${end}; ${lives}` : lives
}
