/** `svc jobs`: the jobs of this user on this machine, from the files of `svc exec` and the crontab. */
import { lstatSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shown } from '@svc/protocol'
import { Command } from 'commander'
import { outputWords, planOutput, startsJob } from '../../host/adopt/output.ts'
import { type TablePlan, tableDiff } from '../../host/adopt/plan.ts'
import { crontabBackup, readTable, replaceTable } from '../../host/adopt/table.ts'
import { readAdopted, writeAdopted } from '../../host/agent/adopted.ts'
import { accountHostFolder, accountJobsFolder } from '../../host/jobs/account.ts'
import { durationForm, readJobDuration } from '../../host/jobs/call.ts'
import { createJobFolders } from '../../host/jobs/files.ts'
import { readJob, scheduleSince, writeJob } from '../../host/jobs/job-note.ts'
import type { JudgedJob } from '../../host/jobs/judge.ts'
import { machineZone } from '../../host/jobs/machine-zone.ts'
import { isJobName, jobNameRule, unrecordedFile } from '../../host/jobs/paths.ts'
import { scheduleFault } from '../../host/jobs/schedule.ts'
import { dropUnrecorded } from '../../host/jobs/unrecorded.ts'
import { clockText } from '../../host/jobs/zone.ts'
import { generalItems, judgedJobs } from '../../host/watch/jobs-part.ts'
import { lookAtJobs } from '../../host/watch/jobs-section.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { confirm, isInteractive } from '../kit/ask.ts'
import { alignedColumns, exits, printResult, Refusal, warn } from '../kit/output.ts'
import { findHostFolder } from './adopt-place.ts'

interface JsonOption {
  readonly json?: boolean
}
interface ExpectOptions extends JsonOption {
  readonly every?: string
  readonly cron?: string
  readonly tz?: string
  readonly grace?: string
}

const withJson = (command: Command): Command => command.option('--json', 'print one JSON value for programs')

export const jobs = (): Command =>
  new Command('jobs')
    .summary('show the jobs of this user, and when they are due')
    .description(
      `Shows each job that "${commandHint('exec')}" runs, with its last run and its schedule. Works without the service and without a host agent. A schedule comes from the crontab, otherwise from the last run, or from "${commandHint('jobs expect')}".`,
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      examples(
        'jobs',
        'jobs --json',
        'jobs expect backup --every 1d --grace 2h',
        'jobs log backup on',
        'jobs forget backup',
      ),
    )
    .addCommand(
      withJson(new Command('list'))
        .summary('show all jobs, the worst first')
        .action(({ json }: JsonOption) => list(json)),
      { isDefault: true },
    )
    .addCommand(
      withJson(new Command('expect'))
        .argument('<NAME>', 'the job')
        .option('--every <duration>', 'how often it begins, such as 1d')
        .option('--cron <fields>', "when it begins, such as '0 3 * * *'")
        .option('--tz <zone>', 'the time zone of --cron, such as Europe/Berlin')
        .option('--grace <duration>', 'how late it may begin, such as 2h')
        .summary('say when a job is due that something other than cron starts')
        .action(expectJob),
    )
    .addCommand(
      withJson(new Command('forget'))
        .argument('<NAME>', 'the job')
        .summary('remove the records of a job that no longer runs')
        .action(forget),
    )
    .addCommand(
      withJson(new Command('log'))
        .argument('<NAME>', 'the job')
        .argument('<on|off>', 'whether its output is kept')
        .option('--yes', 'do not ask')
        .summary('keep the output of a job of the crontab in files, or no longer do')
        .action(logJob),
    )

const now = (): number => Date.now() / 1000

/** Finds the folder of all jobs and the state folder of the host agent. */
function jobsPaths(): { readonly jobs: string; readonly state: string } {
  const jobs = accountJobsFolder(process.env)
  if (jobs === undefined) throw new Refusal('There is no folder for jobs: neither HOME nor XDG_STATE_HOME is set.')
  const host = accountHostFolder(process.env)
  return { jobs, state: host === undefined ? dirname(jobs) : join(host, 'state') }
}

async function list(json: boolean | undefined): Promise<void> {
  const { found, seen, failed, wrong } = await lookAtJobs(jobsPaths())
  const context = { now: now(), zone: machineZone(), woke: seen.woke, slept: seen.slept, failed }
  const jobs = judgedJobs(found, seen, context)
  printResult(json, jobs.map(shownJob), () => {
    const others = generalItems(found, seen, context)
    const rows = [
      ...jobs.map((job) => [job.name, job.level, job.detail()]),
      ...others.map(({ name, level, detail = '' }) => [`(${name})`, level, detail]),
    ]
    if (rows.length === 0)
      return `There are no jobs yet. Put "svc-exec NAME --" in front of a command, in a crontab or elsewhere.`
    return [...alignedColumns([['JOB', 'LEVEL', 'STATE'], ...rows]), ...(wrong.length > 0 ? ['', ...wrong] : [])]
  })
}

const shownJob = ({ name, level, detail, schedule, last, due, next, running }: JudgedJob) => ({
  name,
  level,
  detail: detail(),
  schedule: schedule ?? null,
  last: last ?? null,
  due: due ?? null,
  next: next ?? null,
  running: running.length,
})

async function expectJob(name: string, { json, every, cron, tz, grace }: ExpectOptions): Promise<void> {
  checkName(name)
  if ((every === undefined) === (cron === undefined))
    throw usageRefusal('A job has either --every or --cron: give one of them.')
  if (tz !== undefined && cron === undefined) throw usageRefusal('--tz is the time zone of --cron, which is missing.')
  const fault = cron === undefined ? undefined : scheduleFault(cron, tz)
  if (fault !== undefined) throw usageRefusal(fault)
  const { jobs } = jobsPaths()
  const folder = join(jobs, name)
  const before = readJob(folder)
  const given = {
    ...(every !== undefined && { every: seconds('--every', every) }),
    ...(cron !== undefined && { cron }),
    ...(tz !== undefined && { tz }),
  }
  const since =
    scheduleSince(before, { every: undefined, cron: undefined, tz: undefined, ...given }) ?? Math.floor(now())
  const job = {
    name,
    ...given,
    ...(grace !== undefined && { grace: seconds('--grace', grace) }),
    ...(before?.timeout !== undefined && { timeout: before.timeout }),
    since,
    by: 'person' as const,
  }
  createJobFolders(folder)
  writeJob(folder, job)
  const { found, seen } = await lookAtJobs(jobsPaths())
  const inCrontab = seen.lines.some((line) => line.name === name)
  const judged = judgedJobs(found, seen, { now: now(), zone: machineZone(), woke: seen.woke, slept: seen.slept }).find(
    (one) => one.name === name,
  )
  printResult(json, judged ? shownJob(judged) : null, () =>
    inCrontab
      ? `${name} is in the crontab, and the schedule there counts. This one counts when the line is gone.`
      : judged?.due === undefined
        ? `${name} is never overdue with this schedule.`
        : `${name} is due at ${clockText(judged.due, now(), machineZone())}.`,
  )
}

async function logJob(name: string, kept: string, options: OutputOptions): Promise<void> {
  checkName(name)
  if (kept !== 'on' && kept !== 'off')
    throw usageRefusal(`Behind the name of the job comes on or off: got ${shown(kept)}.`)
  await keepOutput(name, kept === 'on', options)
}

async function forget(name: string, { json }: JsonOption): Promise<void> {
  checkName(name)
  const { jobs, state } = jobsPaths()
  const { found, seen, failed } = await lookAtJobs({ jobs, state })
  const job = found.jobs.find((one) => one.name === name)
  const isNoted = found.unrecorded.some((one) => one.name === name)
  if (seen.lines.some((line) => line.name === name))
    throw new Refusal(`${name} is in the crontab. Remove its line with "crontab -e", then forget it.`)
  if (failed !== undefined && seen.read === undefined)
    throw new Refusal(
      `${name} may be in the crontab, which cannot be read: "crontab -l" ${failed}. Nothing was removed.`,
    )
  if (job?.runs.some(({ status }) => status === 'running'))
    throw new Refusal(`${name} is running. Wait until it ends, or stop it, then forget it.`)
  if (!job && !isNoted && lstatSync(join(jobs, name), { throwIfNoEntry: false }) === undefined)
    throw new Refusal(`There is no job ${name}; "${commandHint('jobs')}" lists all.`)
  rmSync(join(jobs, name), { recursive: true, force: true })
  dropUnrecorded(unrecordedFile(jobs), name)
  printResult(json, { name, forgotten: true }, () => `The records of ${name} were removed.`)
}

function checkName(name: string): void {
  if (!isJobName(name)) throw usageRefusal(`The name of a job is ${jobNameRule}: got ${JSON.stringify(name)}.`)
}

function seconds(option: string, text: string): number {
  const read = readJobDuration(text)
  if (read === undefined) throw usageRefusal(`${option} must be ${durationForm}: got ${JSON.stringify(text)}.`)
  return read
}

const usageRefusal = (message: string): Refusal => new Refusal(message, exits.usage)

// `svc jobs log`: starts or stops keeping the output of a job in files. It adds or removes `--log` in the crontab.

interface OutputOptions {
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Starts or stops keeping the output of a job, once a person agreed to the diff. */
async function keepOutput(job: string, isKept: boolean, { yes, json }: OutputOptions): Promise<void> {
  const { folder } = findHostFolder()
  const table = await readTable()
  if (!table.ok) throw new Refusal(`The crontab ${table.why}. Nothing was changed.`)
  if (!startsJob(table.text, job)) throw new Refusal(`${job} is not in the crontab. ${byHand(job, isKept)}`)
  const plan = planOutput(table.text, job, isKept)
  const lines = plan.left.map(({ number, why }) => `Line ${number} stays as it is: it ${why}. ${byHand(job, isKept)}`)
  const answer = {
    name: job,
    log: isKept,
    changed: plan.changes.length,
    crontabDiff: tableDiff(plan, titleAfter(isKept)),
  }
  if (plan.changes.length === 0) {
    if (plan.left.length > 0) throw new Refusal(lines.join('\n'))
    printResult(
      json,
      answer,
      () => `The output of ${job} is ${isKept ? 'kept already' : 'not kept'}. Nothing was changed.`,
    )
    return
  }
  await mustAgree(plan, isKept, { yes, json })
  await replaceTable(folder, { expected: table.text, next: plan.text })
  // The agent reads the crontab again when `adopted.json` is written, and otherwise only every five minutes.
  const adopted = readAdopted(folder)
  if (adopted !== undefined) writeAdopted(folder, adopted)
  printResult(json, answer, () => [
    ...lines,
    isKept
      ? `The output of ${job} is kept from its next run on. An admin can request it on the page.`
      : `The output of ${job} is no longer kept from its next run on. What was kept stays: ${job} can be forgotten.`,
    `The table before is in ${crontabBackup(folder)}.`,
  ])
}

async function mustAgree(plan: TablePlan, isKept: boolean, { yes, json }: OutputOptions): Promise<void> {
  if (yes) return
  warn(tableDiff(plan, titleAfter(isKept)))
  warn(isKept ? outputWords.kept : outputWords.mailed)
  if (json || !isInteractive()) throw new Refusal('Nothing was changed. Add --yes to change the crontab.', exits.usage)
  if (!(await confirm('Change the crontab like this?'))) throw new Refusal('Nothing was changed.')
}

const titleAfter = (isKept: boolean): string => `crontab ${isKept ? 'with' : 'without'} --log`

/** Says how a person changes a line that svc cannot change. */
const byHand = (job: string, isKept: boolean): string =>
  isKept
    ? `Where it is started, write --log behind its name: svc-exec ${job} --log -- …`
    : `Where it is started, remove --log: svc-exec ${job} -- …`
