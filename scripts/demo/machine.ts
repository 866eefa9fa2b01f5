/**
 * Adds a machine with cron jobs to the demo: a home folder of its own, a stand-in for the program `crontab`, and the
 * records of runs that `svc-exec` would have written. The last run of one job is real: it fails, and its output is
 * kept.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type DemoSetup, type Operator, svcCommand } from './agents.ts'
import { share } from './coder-simulated/work.mts'
import type { Processes } from './processes.ts'

export const machineName = 'vela-jobs'
/** The job whose last run fails while the demo starts. */
export const failingJob = 'certificates'

/** A job of the machine. Times are in seconds, and `seconds` is the usual length of a run. */
export interface DemoJob {
  readonly name: string
  readonly cron: string
  readonly command: string
  readonly seconds: number
  readonly runs: number
  /** The start of the last run at or before `now` if `back` is 0, of the run before that if it is 1, and so on. */
  readonly start: (now: Date, back: number) => Date
  /** The outcomes of the runs that ended badly, by their `back`, as in `start`. All others ended well. */
  readonly bad?: Readonly<Record<number, 'failed' | 'timeout'>>
}

/** The starts of a job that runs once a day at this time, in the local time zone, which cron uses. */
const dailyAt = (hour: number, minute: number) => (now: Date, back: number) => {
  const at = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days, hour, minute)
  return at(back + (at(0) > now ? 1 : 0))
}
const everySixHours = (now: Date, back: number) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate(), 6 * (Math.floor(now.getHours() / 6) - back), 0)
const mondays = (now: Date, back: number) => {
  const last = dailyAt(4, 0)(now, 0)
  const days = ((last.getDay() + 6) % 7) + 7 * back
  return new Date(last.getFullYear(), last.getMonth(), last.getDate() - days, 4, 0)
}
const monthly = (now: Date, back: number) => {
  const at = (months: number) => new Date(now.getFullYear(), now.getMonth() - months, 1, 6, 0)
  return at(back + (at(0) > now ? 1 : 0))
}

export const demoJobs: readonly DemoJob[] = [
  {
    ...{ name: 'backup', cron: '0 3 * * *', command: '/srv/backup.sh', seconds: 2400, runs: 30 },
    ...{ start: dailyAt(3, 0), bad: { 11: 'failed', 12: 'failed' } },
  },
  {
    ...{ name: 'sync-photos', cron: '0 */6 * * *', command: '/srv/sync-photos.sh', seconds: 540, runs: 30 },
    ...{ start: everySixHours, bad: { 4: 'timeout', 20: 'failed' } },
  },
  {
    ...{ name: failingJob, cron: '30 5 * * *', command: '/srv/certificates.sh', seconds: 20, runs: 29 },
    ...{ start: dailyAt(5, 30), bad: { 17: 'failed' } },
  },
  {
    ...{ name: 'weekly-report', cron: '0 4 * * 1', command: '/srv/report.sh', seconds: 900, runs: 12 },
    start: mondays,
  },
  {
    ...{ name: 'invoices-export', cron: '0 6 1 * *', command: '/srv/export.sh', seconds: 180, runs: 3 },
    start: monthly,
  },
]

/** The command of the failing run, which prints why it fails. */
const failingScript = `echo 'renewing 3 certificates (an example of the demo)'
echo 'shop.example.org: still valid for 61 days'
echo 'mail.example.org: still valid for 40 days'
echo 'api.example.org: the challenge failed: http-01, 404 at /.well-known/acme-challenge/' >&2
exit 1`

export interface RecordedRun {
  readonly id: string
  readonly status: 'ok' | 'failed' | 'timeout'
  readonly exit: number
  readonly started: number
  readonly ended: number
}

/** The records of the runs of a job that have ended, newest first: as `svc-exec` writes them, with invented lengths. */
export function recordsOf({ name, seconds, runs, start, bad }: DemoJob, now: Date): RecordedRun[] {
  return Array.from({ length: runs }, (_, back) => {
    const at = Math.floor(start(now, back).getTime() / 1000)
    const status: RecordedRun['status'] = bad?.[back] ?? 'ok'
    const part = share(at, name.length)
    const length = status === 'failed' ? 0.1 + part * 0.2 : status === 'timeout' ? 2.5 : 0.6 + part * 0.9
    return {
      id: `${at * 1000}-${Math.floor(part * 36 ** 8)
        .toString(36)
        .padStart(8, '0')}`,
      status,
      exit: { ok: 0, failed: 1, timeout: 124 }[status],
      started: at,
      ended: at + Math.max(1, Math.round(seconds * length)),
    }
  }).filter(({ ended }) => ended * 1000 <= now.getTime())
}

/** The home folder of the machine's user, and the folder of its agent. */
const homeIn = (folder: string): string => join(folder, 'machine')
export const hostIn = (folder: string): string => join(homeIn(folder), '.local/state/svc/host')

/** Makes the machine, connects its agent with `svc adopt`, and starts it. */
export async function startMachine(
  setup: DemoSetup,
  { processes, operator }: { processes: Processes; operator: Operator },
): Promise<void> {
  const { folder, root, url, workspace, env: outside } = setup
  const home = homeIn(folder)
  const bin = join(home, '.local/bin')
  const state = join(home, '.local/state')
  const stand = join(folder, 'crontab')
  const PATH = [stand, outside.PATH].join(delimiter)
  const own = { HOME: home, XDG_BIN_HOME: bin, XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(home, '.config') }
  const env = { ...outside, ...own, PATH }
  const svc = (...args: string[]) => ({ command: [...svcCommand(root), ...args] as const, cwd: home, env })
  const host = hostIn(folder)

  mkdirSync(home, { recursive: true })
  mkdirSync(stand)
  const lines = demoJobs.map(
    ({ name, cron, command }) => `${cron} ${join(bin, 'svc-exec')} ${name} --log -- ${command}`,
  )
  writeFileSync(join(stand, 'table'), `${lines.join('\n')}\n`)
  writeFileSync(
    join(stand, 'crontab'),
    `#!/bin/sh\n[ "\${1-}" = -l ] && exec cat '${join(stand, 'table')}'\nexit 1\n`,
    {
      mode: 0o755,
    },
  )
  writeRecords(join(host, 'state/jobs'), new Date())

  const create = ['agent', 'create', `${workspace}/${machineName}`, '--tags', 'eu,prod,team:platform']
  const made = await operator<{ token: string }>(setup, create)
  const wanted = ['--url', url, '--name', machineName, '--yes', '--no-start', '--token-file', '-']
  await processes.run(svc('adopt', ...wanted), `${made.token}\n`)
  await processes.run(svc('exec', failingJob, '--log', '--', 'sh', '-c', failingScript)).catch(() => {
    // the job is meant to fail
  })
  await processes.start(`${machineName} runtime`, svc('run', '--dir', host))
}

/** Writes the records of all jobs into the folder of jobs. */
export function writeRecords(jobs: string, now: Date): void {
  for (const job of demoJobs) {
    const place = join(jobs, job.name)
    mkdirSync(place, { recursive: true, mode: 0o700 })
    const records = recordsOf(job, now)
    const since = records.at(-1)?.started ?? Math.floor(now.getTime() / 1000)
    writeFileSync(join(place, 'job.json'), JSON.stringify({ name: job.name, since }), { mode: 0o600 })
    for (const record of records)
      writeFileSync(join(place, `${record.id}.json`), JSON.stringify(record), { mode: 0o600 })
  }
}
