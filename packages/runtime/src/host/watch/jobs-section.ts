/**
 * The input and output of the section *jobs*: reads the folder of jobs at each look, asks `crontab` for the table, and
 * notices that the machine slept.
 */
import { readFileSync, rmSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { readCrontab } from '../jobs/crontab.ts'
import { listCrontab, obeysCronTz } from '../jobs/crontab-program.ts'
import { machineZone } from '../jobs/machine-zone.ts'
import { unrecordedFile } from '../jobs/paths.ts'
import { type FoundJobs, jobsReader, noJobs } from '../jobs/reader.ts'
import { noteZone, readSeen, type SeenJobs, seenAfter, withWakeUp, writeSeen } from '../jobs/seen.ts'
import { keepOverdue, seenAfterBreak, settleJobs } from '../jobs/settled.ts'
import { cutUnrecorded } from '../jobs/unrecorded.ts'
import { jobsPart } from './jobs-part.ts'
import type { Section, StatusPart } from './sections.ts'

/** The folders of the host agent that this section reads. */
export interface JobsPaths {
  /** The state folder of the host agent, which has `seen.json`. */
  readonly state: string
  /** The folder of all jobs; undefined if there cannot be one. */
  readonly jobs: string | undefined
  /** The text of a crontab to assume, such as after a planned change. If absent, this user's crontab is read. */
  readonly table?: string | undefined
}

/** The result of a single look, as `svc jobs` and `svc adopt` show it. Nothing is written. */
interface JobsLook {
  readonly found: FoundJobs
  readonly seen: SeenJobs
  readonly failed: string | undefined
  /** Sentences about lines of the crontab with a mistake. They may quote the line, so they stay on this machine. */
  readonly wrong: readonly string[]
}

/** The milliseconds that svc waits for the end of a run in its record, if the process of the run is gone. */
const pendingMs = 1000

export async function lookAtJobs({ state, jobs, table }: JobsPaths): Promise<JobsLook> {
  const look = jobs === undefined ? () => noJobs : jobsReader(jobs)
  const now = Date.now()
  const before = readSeen(state)
  const asked = askCrontab(before, now, false, table)
  if (look(now).isPending) await new Promise((resolve) => setTimeout(resolve, pendingMs))
  const { seen: asFound, failed, wrong } = await asked
  const { found, seen } = settleJobs(look(Date.now()), asFound, Date.now() / 1000)
  return { found, seen: withWakeUp(seen, wokeOf(seen, now)), failed, wrong }
}

/** The part of this section now, for a first report. */
export async function jobsPartNow(paths: JobsPaths): Promise<StatusPart> {
  const { found, seen, failed } = await lookAtJobs(paths)
  const { woke, slept } = seen
  return jobsPart(found, seen, { now: Date.now() / 1000, woke, slept, zone: machineZone(), failed })
}

/** The section for `svc watch`, which looks again and again and remembers what it saw. */
interface WatchedJobs extends Section {
  /** Asks `crontab` for the table, and remembers it. */
  refresh(): Promise<void>
}

/** The time between two searches for folders of jobs to remove. */
const sweepMs = 3_600_000

/**
 * If the wall clock gains or loses more than this against the monotonic clock between two looks, the machine slept or
 * its clock was set.
 */
const sleptMs = 120_000

export function watchedJobs(
  { state, jobs }: JobsPaths,
  monotonic: () => number,
  zoneNow: () => string = () => machineZone(),
  boot: (now: number) => number = bootTime,
): WatchedJobs {
  const look = jobs === undefined ? () => noJobs : jobsReader(jobs)
  let seenJobs = readSeen(state)
  let failed: string | undefined
  let isFirst = true
  let nextSweep = 0
  let before: { readonly wall: number; readonly mono: number } | undefined
  const kept = keeper(() => writeSeen(state, seenJobs), seenJobs)
  const remember = (next: SeenJobs) => {
    seenJobs = next
    kept(seenJobs)
  }
  /**
   * The time of the last look in the note, in milliseconds, if it is in the future: the clock was set back while no
   * host agent ran.
   */
  const lookedBefore = (now: number) => {
    const looked = before === undefined && seenJobs.looked !== undefined ? seenJobs.looked * 1000 : 0
    return looked > now + sleptMs ? looked : undefined
  }
  /** The note, corrected if the clock was set back after the last look. */
  const setBack = (found: FoundJobs, now: number, from: number | undefined): SeenJobs => {
    if (from === undefined) return seenJobs
    const then = settleJobs(found, seenJobs, from / 1000).found
    return keepOverdue(seenJobs, then, { from: from / 1000, now: now / 1000, zone: zoneNow() })
  }
  return {
    name: 'jobs',
    command: 'jobs',
    async refresh() {
      const now = Date.now()
      if (isFirst) {
        const found = look(now)
        const noted = settleJobs(found, setBack(found, now, lookedBefore(now)), now / 1000)
        const again = seenAfterBreak(noted.seen, noted.found, { now: now / 1000, boot: boot(now), zone: zoneNow() })
        remember(withWakeUp(again, wokeOf(again, now)))
      }
      isFirst = false
      const asked = await askCrontab(seenJobs, now, true)
      failed = asked.failed
      // A look may have changed the rest of the note meanwhile.
      const { lines, faults, read } = asked.seen
      remember({ ...seenJobs, lines, faults, ...(read !== undefined && { read }), looked: Math.floor(now / 1000) })
    },
    look(now) {
      const mono = monotonic()
      const gained = before === undefined ? 0 : now - before.wall - (mono - before.mono)
      const awake = Math.floor(Math.min(before?.wall ?? now, now) / 1000)
      const found = look(now)
      const known = setBack(found, now, before && gained < -sleptMs ? before.wall : lookedBefore(now))
      before = { wall: now, mono }
      const zone = zoneNow()
      const noted = settleJobs(found, noteZone(known, zone, now / 1000), now / 1000)
      const woken =
        Math.abs(gained) > sleptMs
          ? withWakeUp(noted.seen, Math.floor(now / 1000), awake)
          : withWakeUp(noted.seen, wokeOf(noted.seen, now))
      remember(woken)
      if (jobs !== undefined) {
        cutQuietly(unrecordedFile(jobs))
        if (failed === undefined && mono >= nextSweep) {
          nextSweep = mono + sweepMs
          removeFolders(jobs, expiredJobs(noted.found, seenJobs, now / 1000))
        }
      }
      const { woke, slept } = woken
      return jobsPart(noted.found, seenJobs, { now: now / 1000, woke, slept, zone, failed })
    },
  }
}

/** Returns a function that writes a value if it changed. A write that fails is tried again at the next look. */
function keeper<T>(write: () => void, first: T): (value: T) => void {
  let written = { value: first, text: JSON.stringify(first) }
  return (value) => {
    if (value === written.value) return
    const text = JSON.stringify(value)
    try {
      if (text !== written.text) write()
      written = { value, text }
    } catch {}
  }
}

function cutQuietly(file: string): void {
  try {
    cutUnrecorded(file)
  } catch {
    // The file could not be cut. That does no harm, since only its end is read.
  }
}

async function askCrontab(
  before: SeenJobs,
  now: number,
  remembers: boolean,
  given?: string,
): Promise<Omit<JobsLook, 'found'>> {
  const listed = given === undefined ? await listCrontab() : ({ is: 'table', bytes: Buffer.from(given) } as const)
  if (listed.is === 'failed') return { seen: before, failed: listed.why, wrong: [] }
  const table = readCrontab(listed.bytes.toString('utf8'))
  const namesTz = table.some((line) => line.is === 'assignment' && line.name === 'CRON_TZ')
  const obeysTz = namesTz && (await obeysCronTz())
  const seenJobs = seenAfter(before, table, { now: Math.floor(now / 1000), remembers, obeysTz })
  return { seen: seenJobs, failed: undefined, wrong: table.flatMap(wrongWith) }
}

function wrongWith(line: ReturnType<typeof readCrontab>[number]): string[] {
  if (line.is !== 'entry' || line.calls.length === 0) return []
  const faults = [line.wrong, ...line.calls.map(({ wrong }) => wrong)].filter((wrong) => wrong !== undefined)
  return faults.length === 0 ? [] : [`Line ${line.number} of the crontab: ${faults.join(' ')}`]
}

/** When the machine last started or woke up, in Unix seconds. */
const wokeOf = ({ woke = 0 }: SeenJobs, now: number): number => Math.max(woke, bootTime(now))

let boot: number | undefined

/**
 * When the machine started. If the known time is in the future, since the clock was set back, it is read again. The
 * result is 0 if the new time is in the future, too.
 */
function bootTime(now: number): number {
  if (boot === undefined || boot * 1000 > now) boot = readBootTime(now)
  return boot * 1000 > now ? 0 : boot
}

/** Reads when the machine started. Without /proc, the system says how long it has been running. */
function readBootTime(now: number): number {
  try {
    return Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1])
  } catch {
    return Math.floor(now / 1000 - uptime())
  }
}

// Decides which folders of jobs are removed. A job whose name contains a date runs only once, and its folder would
// otherwise be read at each look forever.

/** The seconds after the last run of a job without a schedule until its folder is removed. */
const keptSeconds = 400 * 86_400
/**
 * A run of any job within this time shows that the clock is right. With a clock that is far ahead, all runs would look
 * old.
 */
const recentSeconds = 7 * 86_400

/** The names of jobs without a schedule whose last run is long over, at `now` in Unix seconds. Pure. */
export function expiredJobs({ jobs }: Pick<FoundJobs, 'jobs'>, seenJobs: SeenJobs, now: number): string[] {
  if (seenJobs.read === undefined) return [] // the crontab was never read, so each job may be in it
  const isRecent = jobs.some(({ runs: [last] }) => last && last.started <= now && last.started > now - recentSeconds)
  if (!isRecent) return []
  const scheduled = new Set(seenJobs.lines.map(({ name }) => name))
  return jobs
    .filter(({ name, note, runs }) => {
      const [last] = runs
      const isDone = last !== undefined && runs.every(({ status }) => status !== 'running')
      const hasTime = scheduled.has(name) || note?.every !== undefined || note?.cron !== undefined
      return isDone && !hasTime && Math.max(last.started, last.ended ?? 0) < now - keptSeconds
    })
    .map(({ name }) => name)
}

/** Removes the folders of these jobs. A folder that cannot be removed stays. */
function removeFolders(jobs: string, names: readonly string[]): void {
  for (const name of names)
    try {
      rmSync(join(jobs, name), { recursive: true, force: true })
    } catch {
      // the next look tries again
    }
}
