/**
 * Reads what the folder of all jobs contains. The reader is called every few seconds, and reads only the folders of
 * jobs that changed.
 */
import { statSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../../machine/base/errors.ts'
import { fileNamesIn } from '../../machine/files/durable.ts'
import { ticksPerSecond } from '../../machine/process/identity.ts'
import { type Job, readJob } from './job-note.ts'
import { isJobName, unrecordedFile } from './paths.ts'
import { type RecordedRun, readRuns, runLives } from './record.ts'
import { readUnrecorded, type UnrecordedRun } from './unrecorded.ts'

/** A run as it is shown. A run is lost if its record says that it runs, but its process is gone. */
export type ShownRun = Omit<RecordedRun, 'status'> & {
  readonly status: RecordedRun['status'] | 'lost'
  /**
   * When the process of the run started, in Unix seconds by the present clock. Present only if the process lives and
   * its record has a time in the future, since the clock was set back.
   */
  readonly began?: number
}

interface JobFiles {
  readonly name: string
  readonly note?: Job | undefined
  /** The runs of the job, the newest first. */
  readonly runs: readonly ShownRun[]
}

/** The content of the folder of all jobs at one look. */
export interface FoundJobs {
  readonly jobs: readonly JobFiles[]
  readonly unrecorded: readonly UnrecordedRun[]
  /** The number of records that were ignored, because they cannot be read or have a time in the future. */
  readonly passedOver: number
  /** The names of jobs whose folder cannot be read. */
  readonly closed: readonly string[]
  /**
   * True if this look is the first that found the process of a run gone. The end of the run may not be in its record
   * yet, so the run counts as lost only from the next look on.
   */
  readonly isPending: boolean
}

export const noJobs: FoundJobs = { jobs: [], unrecorded: [], passedOver: 0, closed: [], isPending: false }

interface FolderRead {
  /** The folder as it was when it was read; undefined if it must be read again. */
  readonly stamp: string | undefined
  readonly note: Job | undefined
  readonly runs: readonly RecordedRun[]
  /** True if a record says that its run has not ended. */
  readonly mayRun: boolean
  readonly passedOver: number
}

/** A folder that changed less than this long ago is read again, since its next change may have the same time stamp. */
const freshMs = 2000

/**
 * Returns the function that looks at the folder of all jobs, at `now` in Unix milliseconds. `upSeconds` returns the
 * seconds since the machine started.
 */
export function jobsReader(folder: string, upSeconds: () => number = uptime): (now: number) => FoundJobs {
  const kept = new Map<string, FolderRead>()
  let gone: ReadonlySet<string> = new Set()
  return (now) => {
    const closed: string[] = []
    const goneNow = new Set<string>()
    let passedOver = 0
    const names = fileNamesIn(folder).filter(isJobName)
    for (const name of kept.keys()) if (!names.includes(name)) kept.delete(name)
    const jobs = names.flatMap((name): JobFiles[] => {
      const read = readFolder(join(folder, name), kept.get(name), now)
      if (read === 'no folder') return []
      if (read === 'closed') {
        closed.push(name)
        return []
      }
      kept.set(name, read)
      passedOver += read.passedOver
      const shown = (run: RecordedRun): ShownRun => {
        if (run.status !== 'running') return run
        if (runLives(run)) return run.started * 1000 > now ? { ...run, ...beganOf(run, now / 1000 - upSeconds()) } : run
        goneNow.add(run.id)
        return gone.has(run.id) ? { ...run, status: 'lost' } : run
      }
      return [{ name, note: read.note, runs: read.mayRun ? read.runs.map(shown) : read.runs }]
    })
    const isPending = [...goneNow].some((id) => !gone.has(id))
    gone = goneNow
    return { jobs, unrecorded: readUnrecorded(unrecordedFile(folder)), passedOver, closed, isPending }
  }
}

/** When the process of a run started, on a machine that started at `boot`. Without /proc this is not known. */
const beganOf = ({ start }: RecordedRun, boot: number): Pick<ShownRun, 'began'> =>
  start === undefined ? {} : { began: Math.floor(boot + start / ticksPerSecond) }

function readFolder(folder: string, before: FolderRead | undefined, now: number): FolderRead | 'no folder' | 'closed' {
  try {
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (!stat?.isDirectory()) return 'no folder'
    const stamp = `${stat.ino} ${stat.mtimeMs}`
    if (before !== undefined && before.stamp === stamp) return before
    const { runs, passedOver } = readRuns(folder, now / 1000, before?.runs)
    // An ignored record counts later if its time is no longer in the future, so the folder must be read again.
    const isSettled = stat.mtimeMs < now - freshMs && passedOver === 0
    return {
      stamp: isSettled ? stamp : undefined,
      note: readJob(folder),
      runs,
      mayRun: runs.some(({ status }) => status === 'running'),
      passedOver,
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return 'closed'
  }
}
