/** Writes the record of one run: when it begins, and when it has ended. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { jobLogName } from '@svc/protocol'
import { openOwnFile } from '../../machine/files/own.ts'
import { readFile } from '../../machine/files/read.ts'
import { isNoRoom } from '../../machine/files/space.ts'
import { bootId, procStat } from '../../machine/process/identity.ts'
import type { ExecCall } from './call.ts'
import { replaceJson } from './files.ts'
import { maxAheadMs, newestSortNumber, newRunId, runIdOf, sortNumberOf } from './ids.ts'
import { jobAfter, readJob, writeJob } from './job-note.ts'
import type { RecordedRun } from './record.ts'
import { exitOfRun, type RunEnd } from './run-end.ts'

/** The largest file of `SVC_RUN_FILE` that is read, in bytes. */
const maxReportedBytes = 64 * 1024

interface Recorder {
  /** The file to which the command may write facts about its run. */
  readonly runFile: string
  /** Notes that the command runs as the process `pid`. */
  started(pid: number | undefined): void
  /** Notes how the run ended. `log` names the log that has the reason, if it is not the log of the job. */
  ended(how: RunEnd, log?: string): Promise<void>
  /** Notes that the command was not started, since another run of the job lives. */
  skipped(): Promise<void>
}

/**
 * Makes the recorder of a run that begins now. `hasLog` is true if the output of the run goes to a log. `fails` is
 * called with the error if something could not be written.
 */
export function recorderIn(
  folder: string,
  call: ExecCall & { readonly name: string },
  { hasLog, fails }: { hasLog: boolean; fails: (error: unknown) => void },
): Recorder {
  const now = Date.now()
  const id = newRunId(Math.max(now, newestSortNumber(namesHere(folder), now) + 1), Math.random())
  const runFile = join(folder, `${id}.run`)
  let run: RecordedRun = {
    ...{ id, status: 'running', started: Math.floor(now / 1000) },
    ...(hasLog && { log: jobLogName(call.name) }),
  }
  const write = (next: RecordedRun): void => {
    run = next
    withRoom(folder, id, () => replaceJson(join(folder, `${id}.json`), run))
  }
  const attempt = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      fails(error)
    }
  }
  const note = (): void => {
    const before = readJob(folder)
    const after = jobAfter(before, call.name, call, run.started)
    if (JSON.stringify(before) !== JSON.stringify(after)) writeJob(folder, after)
  }
  /**
   * Records which older runs are in progress. If one of them is lost later, a good end of this run must not hide it,
   * because this run began before the loss.
   */
  const noteBeside = async (): Promise<void> => {
    try {
      const beside = await livingIn(folder, id)
      if (beside.length > 0) write({ ...run, beside })
    } catch (error) {
      fails(error)
    }
  }
  let noting: Promise<void> | undefined
  return {
    runFile,
    started: (pid) => {
      attempt(() => write({ ...run, ...identified(pid) }))
      attempt(() => withRoom(folder, id, note))
      noting = noteBeside()
    },
    ended: async (how, log) => {
      await noting
      const toldFields = await reportedFieldsIn(runFile)
      const ended = Math.floor(Date.now() / 1000)
      const upTo = newestSortNumber(namesHere(folder), Date.now())
      const times = { ended: Math.max(run.started, ended), ...(upTo > sortNumberOf(id) && { upTo }) }
      attempt(() => write({ ...run, ...toldFields, ...outcomeOf(how), ...times, ...(log !== undefined && { log }) }))
      await prune(folder, id).catch(fails)
    },
    skipped: async () => {
      attempt(() => write({ ...run, status: 'skipped', ended: run.started }))
      attempt(() => withRoom(folder, id, note))
      await prune(folder, id).catch(fails)
    },
  }
}

/** The process of the command. Its boot and its start are known only where the system has /proc. */
function identified(pid: number | undefined): Partial<RecordedRun> {
  if (pid === undefined) return {}
  try {
    return { pid, start: Number(procStat(pid)[19]), boot: bootId() }
  } catch {
    return { pid }
  }
}

function outcomeOf(how: RunEnd): Pick<RecordedRun, 'status' | 'exit' | 'signal'> {
  const exit = exitOfRun(how)
  if ('timedOut' in how) return { status: 'timeout', exit }
  if ('signal' in how) return { status: 'failed', exit, signal: how.signal }
  return { status: exit === 0 ? 'ok' : 'failed', exit }
}

/**
 * Reads the facts that the command reports about its run. The code that checks them is loaded only if there are any.
 */
async function reportedFieldsIn(file: string): Promise<Partial<RecordedRun>> {
  try {
    const read = readFile(file, maxReportedBytes, openOwnFile)
    if (read.is === 'missing') return {}
    rmSync(file, { force: true })
    if (read.is !== 'bytes' || read.bytes.length === 0) return {}
    const value: unknown = JSON.parse(read.bytes.toString('utf8'))
    return (await import('./record.ts')).readReportedFields(value)
  } catch {
    return {} // the record of the run matters more than these facts, so it is written without them
  }
}

/** The names of the files of a job; none if its folder cannot be read. */
function namesHere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Removes files that killed runs have left, and records of old runs that are not in progress. */
async function prune(folder: string, own: string): Promise<void> {
  const names = readdirSync(folder)
  const now = Date.now()
  const lives = surplusRecords(names, own, now).some((name) => saysItRuns(join(folder, name)))
    ? await livesIn(folder)
    : undefined
  for (const name of surplusRecords(names, own, now, lives)) rmSync(join(folder, name), { force: true })
}

/** The number of newest records of a job that are never removed to make room. */
const minKeptRecords = 20

/**
 * Writes a file about the run `own`. If the disk is full, `last.log.1` and then the oldest records of the job are
 * removed until the file fits. Records of runs in progress stay.
 */
function withRoom(folder: string, own: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isNoRoom(error)) throw error
    const records = namesHere(folder)
      .filter((name) => runIdOf(name) !== undefined && !name.startsWith(own))
      .sort((a, b) => sortNumberOf(runIdOf(b) ?? '') - sortNumberOf(runIdOf(a) ?? ''))
    for (const name of ['last.log.1', ...records.slice(minKeptRecords).reverse()]) {
      const file = join(folder, name)
      if (!existsSync(file) || saysItRuns(file)) continue
      rmSync(file, { force: true })
      if (succeeds(write)) return
    }
    throw error
  }
}

/** Calls `write`. False if there is no room; any other error is thrown. */
function succeeds(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    if (isNoRoom(error)) return false
    throw error
  }
}

/** The maximum number of older runs in progress that a record names. */
const maxOlderRuns = 20

/** The ids of the oldest runs in progress, without `own`. */
async function livingIn(folder: string, own: string): Promise<string[]> {
  const running = readdirSync(folder)
    .filter((name) => !name.startsWith(own) && saysItRuns(join(folder, name)))
    .flatMap((name) => runIdOf(name) ?? [])
  if (running.length === 0) return []
  const lives = await livesIn(folder)
  return running
    .filter(lives)
    .sort((a, b) => sortNumberOf(a) - sortNumberOf(b))
    .slice(0, maxOlderRuns)
}

/**
 * True if a record may be that of a run that lives. The code that finds out whether the run lives is loaded only then.
 */
function saysItRuns(file: string): boolean {
  if (!file.endsWith('.json')) return false
  const read = readFile(file, maxReportedBytes)
  return read.is === 'bytes' && read.bytes.includes('"status":"running"')
}

async function livesIn(folder: string): Promise<(id: string) => boolean> {
  const { readRun, runLives } = await import('./record.ts')
  return (id) => {
    const run = readRun(join(folder, `${id}.json`))
    return run !== undefined && runLives(run)
  }
}

/** The number of runs of a job that are kept. */
const keptRuns = 100
const day = 86_400_000

/**
 * Returns the files in the folder of a job that are no longer needed at `now`, in Unix milliseconds: old records, and
 * files that killed runs have left. The records of the run `own` and of runs that live are kept. Records that lie more
 * than a day in the future, because the clock was wrong, go first.
 */
export function surplusRecords(
  names: readonly string[],
  own: string,
  now: number,
  lives: (id: string) => boolean = () => false,
): string[] {
  const age = (id: string): number => {
    const at = sortNumberOf(id)
    return at > now + maxAheadMs ? Number.POSITIVE_INFINITY : now - at
  }
  const ids = names
    .flatMap((name) => runIdOf(name) ?? [])
    .sort((a, b) => Number(b === own) - Number(a === own) || age(a) - age(b))
  const old = ids.slice(keptRuns).filter((id) => !lives(id))
  const kept = new Set(ids)
  for (const id of old) kept.delete(id)
  const left = names.filter((name) => {
    const [, id = own, ending] = /^\.?(\d{1,15}-[0-9a-z]{1,16})\.(run|json\.\d+\.tmp)$/.exec(name) ?? []
    return now - sortNumberOf(id) > day && !(ending === 'run' && kept.has(id)) && id !== own
  })
  return [...old.map((id) => `${id}.json`), ...left]
}
