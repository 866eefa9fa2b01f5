/**
 * `svc exec`: runs the command of a job, and records how it ended. The command must run and end as without svc,
 * whatever fails here. This code never touches `process.stdin`, `stdout` or `stderr`, since Node would make pipes
 * non-blocking that the command shares.
 */
import { accessSync, closeSync, constants, existsSync, mkdirSync, type Stats, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { failedLogName, safeLine, shown } from '@svc/protocol'
import { messageOf } from '../../machine/base/errors.ts'
import { openOwnFile } from '../../machine/files/own.ts'
import { plainHint } from '../../machine/hint.ts'
import { type ExecCall, readCall } from './call.ts'
import { createJobFolders } from './files.ts'
import { forwardSignals, limitTime, type TimeLimit } from './follow.ts'
import { type LastLog, openLastLog } from './last-log.ts'
import { isLauncherGone, type LauncherState, launcherStateHere, stdioOf } from './launched.ts'
import { jobsIn, unrecordedFile } from './paths.ts'
import { recorderIn } from './recorder.ts'
import { exitCodes, exitOfRun, type RunEnd } from './run-end.ts'
import { type JobCommand, startJob } from './start.ts'

type NamedCall = ExecCall & { readonly name: string }

/**
 * Runs `svc exec` with the arguments that follow it, and ends this process with the exit code of the command. The
 * launcher checks the number of parameters of this function, because an older svc does not take the launcher's state.
 */
export async function exec(args: readonly string[], launcherState: LauncherState | undefined): Promise<void> {
  const launched = launcherState ?? launcherStateHere()
  // an error of svc must not end this process before the command has ended
  process.on('uncaughtException', () => {})
  const call = readCall(args)
  try {
    await runCall(call, launched)
  } catch {
    if (!launched.taken) runPlainly(call, launched)
  }
}

async function runCall(call: ExecCall, launched: LauncherState): Promise<void> {
  if (call.command.length === 0) {
    launched.taken = true
    say(launched, `${call.wrong} Nothing was run. Such as: ${plainHint('exec backup -- ./backup.sh')}`)
    process.exit(exitCodes.nothingToRun)
  }
  const folders = await foldersFor(launched)
  const wrong = call.wrong ?? (await scheduleFault(call))
  if (wrong === undefined) return runRecorded(call as NamedCall, launched, folders)
  say(launched, `${wrong} The command runs, but svc does not record it.`)
  noteUnrecorded(folders, call.name, 'wrong-usage')
  runPlainly(call, launched)
}

function runPlainly({ command }: ExecCall, launched: LauncherState): void {
  run({ command }, launched, { variables: {} }, (how) => process.exit(exitOfRun(how)))
}

/**
 * Says why the schedule of a call cannot be read; undefined if it can. The code for this is loaded only if the call has
 * a schedule.
 */
async function scheduleFault({ cron, tz }: ExecCall): Promise<string | undefined> {
  if (cron === undefined) return undefined
  try {
    return (await import('./schedule.ts')).scheduleFault(cron, tz)
  } catch {
    return undefined
  }
}

interface JobFolders {
  /** The folder with the records of all jobs; undefined if there is none. */
  readonly jobs: string | undefined
  /** The folder that the host agent reads. */
  readonly account: string | undefined
}

/** Finds the folders. The launcher names them, unless it is missing or of an earlier version. */
async function foldersFor({ jobs, account }: LauncherState): Promise<JobFolders> {
  if (jobs !== undefined) return { jobs: jobs || undefined, account: account || undefined }
  try {
    const { accountHostFolder, accountJobsFolder } = await import('./account.ts')
    const host = accountHostFolder(process.env)
    return { jobs: accountJobsFolder(process.env), account: host && jobsIn(host) }
  } catch {
    return { jobs: undefined, account: undefined }
  }
}

/** Notes a run without a record, in the folder for records and in the folder that the host agent reads. */
function noteUnrecorded({ jobs, account }: JobFolders, name: string | undefined = '-', reason: string): void {
  for (const folder of new Set([jobs, account]))
    if (folder !== undefined)
      ignoreErrors(() => appendLine(folder, `${Math.floor(Date.now() / 1000)} ${name} ${reason}\n`))
}

function appendLine(folder: string, line: string): void {
  // the host agent exists, but no job has a record yet
  if (!existsSync(folder) && existsSync(join(folder, '../adopted.json'))) mkdirSync(folder, 0o700)
  if (!existsSync(folder)) return
  const fd = openOwnFile(unrecordedFile(folder), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
  try {
    writeSync(fd, line)
  } finally {
    closeSync(fd)
  }
}

async function runRecorded(call: NamedCall, launched: LauncherState, folders: JobFolders): Promise<void> {
  const { jobs, account } = folders
  const fails = saysOnce(call.name, launched, (isRecord) => isRecord && noteUnrecorded(folders, call.name, 'no-record'))
  const folder = folderOf(call.name, jobs, fails)
  if (folder !== undefined && jobs !== account) noteUnrecorded({ jobs: undefined, account }, call.name, 'elsewhere')
  const overlaps = folder !== undefined && call.noOverlap && (await hasLivingRun(folder))
  const log = folder !== undefined && call.log && !overlaps ? openedLog(folder, fails) : undefined
  const recorder = folder === undefined ? undefined : recorderIn(folder, call, { hasLog: log !== undefined, fails })
  if (overlaps) {
    launched.taken = true
    await recorder?.skipped()
    process.exit(exitCodes.skipped)
  }
  const variables = { SVC_JOB: call.name, SVC_RUN_FILE: recorder?.runFile ?? noRunFile }
  const pid = run(call, launched, { variables, output: log?.fd }, async (how) => {
    try {
      // if the launcher was killed, the run counts as lost, so its end is not recorded
      if (!isLauncherGone(launched)) {
        const failed =
          folder && log && exitOfRun(how) !== 0
            ? await keptOutput(call.name, { folder, log, account }, fails)
            : undefined
        await recorder?.ended(how, failed)
      }
      log?.close()
    } finally {
      process.exit(exitOfRun(how))
    }
  })
  recorder?.started(pid)
  if (log) setInterval(() => ignoreErrors(() => log.trim()), logMilliseconds)
}

/** The time between two looks at the size of a log. */
const logMilliseconds = 1000

/**
 * Starts the command and follows it. `ends` is called when the command has ended or, after the time limit, when its
 * whole process group is gone. Returns the process id, undefined if the command could not be started.
 */
function run(
  { command, timeout }: Pick<ExecCall, 'command' | 'timeout'>,
  launched: LauncherState,
  how: Pick<JobCommand, 'variables' | 'output'>,
  ends: (how: RunEnd) => unknown,
): number | undefined {
  const ownSession = timeout !== undefined
  const signalsGoTo = forwardSignals(ownSession, stdioOf(launched)[0])
  let limit: TimeLimit | undefined
  const pid = startJob({ words: command, ownSession, ...how }, launched, async (ended, why) => {
    if ('error' in ended) say(launched, `${shown(command[0])} ${whyNotStarted(ended, why)}.`)
    const isOver = await limit?.ended().catch(() => true)
    signalsGoTo(undefined)
    ends(isOver ? { timedOut: true } : ended)
  })
  signalsGoTo(pid)
  if (timeout !== undefined && pid !== undefined)
    limit = limitTime(pid, timeout, () => helpersOf(how.variables.SVC_RUN_FILE))
  return pid
}

/**
 * Finds the processes that the command has started, even in sessions of their own. Their environment has SVC_RUN_FILE,
 * which is different for each run. Without a record, none are found.
 */
async function helpersOf(runFile: string | undefined): Promise<readonly number[]> {
  if (runFile === undefined || runFile === noRunFile) return []
  try {
    return (await import('../../machine/process/environ.ts')).processesWith(`SVC_RUN_FILE=${runFile}`)
  } catch {
    return []
  }
}
const noRunFile = '/dev/null'

function folderOf(name: string, jobs: string | undefined, fails: FailureReporter): string | undefined {
  try {
    if (jobs) return readyFolder(jobs, name)
    fails(new Error('neither HOME nor XDG_STATE_HOME names a folder'))
  } catch (error) {
    fails(error)
  }
  return undefined
}

function openedLog(folder: string, fails: FailureReporter): LastLog | undefined {
  try {
    return openLastLog(folder)
  } catch (error) {
    fails(error, 'keep its output')
    return undefined
  }
}

interface JobOutput {
  /** The folder of the job. */
  readonly folder: string
  readonly log: LastLog
  /** The folder of all jobs inside the folder of the account's host agent. */
  readonly account: string | undefined
}

/** Keeps what a failed run printed last. Returns the name of that log; undefined if it could not be kept. */
async function keptOutput(
  name: string,
  { folder, log, account }: JobOutput,
  fails: FailureReporter,
): Promise<string | undefined> {
  try {
    const { keepFailedOutput } = await import('./failed-log.ts')
    const { folderAt } = await import('../../machine/files/folder.ts')
    const host = folderAt(join(account ?? dirname(folder), '../..'))
    return keepFailedOutput(folder, log.end(), host) ? failedLogName(name) : undefined
  } catch (error) {
    fails(error, 'keep what it printed')
    return undefined
  }
}

async function hasLivingRun(folder: string): Promise<boolean> {
  try {
    const { readRuns, runLives } = await import('./record.ts')
    return readRuns(folder, Math.floor(Date.now() / 1000)).runs.some(runLives)
  } catch {
    return false
  }
}

/** The end of a sentence that begins with the command. */
const whyNotStarted = (how: RunEnd, why = ''): string =>
  exitOfRun(how) === exitCodes.notFound ? 'was not found' : `cannot be started: ${why}`

type FailureReporter = (error: unknown, what?: string) => void

/**
 * Returns a function that reports a failure of svc. The command runs in any case, so only the first failure is printed.
 * `notes` is called once for each kind of failure, with true if the run has no record.
 */
function saysOnce(name: string, launched: LauncherState, notes: (isRecord: boolean) => unknown): FailureReporter {
  const said = new Set<string>()
  return (error, what = recordAdvice) => {
    if (said.size === 0) say(launched, `Job ${name} runs, but svc cannot ${what}: ${messageOf(error)}.`)
    if (!said.has(what)) notes(what === recordAdvice)
    said.add(what)
  }
}
const recordAdvice = 'record it'

function ignoreErrors(act: () => void): void {
  try {
    act()
  } catch {
    // no failure of svc may keep the command from running
  }
}

function say(launched: LauncherState, text: string): void {
  const fd = stdioOf(launched)[2]
  if (fd !== undefined) ignoreErrors(() => writeSync(fd, `${plainHint('exec')}: ${safeLine(text)}\n`))
}

// The folder of a job, made ready for a run.

/**
 * Makes the folder of a job and returns it. Throws if records cannot be written there, or if the folder belongs to
 * another user, who could have placed links in it.
 */
function readyFolder(jobs: string, name: string): string {
  const folder = join(jobs, name)
  const above = nearest(folder)
  const uid = process.geteuid?.() ?? 0
  // without this check, root would make folders in another user's home, and that user could not write into them
  if (above !== undefined && above.path !== folder && (uid === 0 || above.path === jobs)) mustBelong(above, uid)
  createJobFolders(folder)
  mustBelong({ path: folder, stat: statSync(folder) }, uid)
  accessSync(folder, constants.W_OK | constants.X_OK)
  return folder
}

interface ExistingFile {
  readonly path: string
  readonly stat: Stats
}

/** The folder itself if it exists, otherwise the nearest folder above it that exists. */
function nearest(path: string): ExistingFile | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat) return { path, stat }
  return dirname(path) === path ? undefined : nearest(dirname(path))
}

function mustBelong({ path, stat }: ExistingFile, uid: number): void {
  if (!stat.isDirectory()) throw new Error(`${path} is not a folder`)
  if (stat.uid !== uid) throw new Error(`${path} belongs to another user (${stat.uid})`)
}
