/**
 * Corrects times in the notes and records of jobs that are in the future because the clock was set back. Such a time is
 * replaced by the time at which this was noticed or, for a run whose process lives, by the start of the process. The
 * new time is remembered, since otherwise it would move with the clock. Pure; all times are Unix seconds.
 */
import { eventTime, isTooFarAhead } from '@svc/protocol'
import type { FoundJobs, ShownRun } from './reader.ts'
import type { SeenJobs } from './seen.ts'

interface SettledJobs {
  readonly found: FoundJobs
  /** The note with corrected times; the same object if nothing changed. */
  readonly seen: SeenJobs
}

/** The maximum number of corrected times that are remembered. */
const maxAhead = 1000

/** Corrects the times of all runs and of the note, at the time `at`. */
export function settleJobs(found: FoundJobs, seenJobs: SeenJobs, at: number): SettledJobs {
  const now = Math.floor(at)
  const before = new Map(seenJobs.ahead?.map(({ of, at }) => [of, at]))
  const noticed = new Map<string, number>()
  /**
   * Returns the time to use for an event with the stored time `time`. `began` is its time by the present clock, if that
   * is known.
   */
  const counted = (of: () => string, time: number, began = now): number => {
    const isAhead = isTooFarAhead(time * 1000, now * 1000)
    if (before.size === 0 && !isAhead) return time
    const key = of()
    const known = before.get(key)
    if (known === undefined && !isAhead) return time
    const noted = eventTime(known ?? began, now)
    noticed.set(key, noted)
    return Math.min(time, noted)
  }
  const jobs = found.jobs.map((job) => {
    const runs = each(job.runs, (run) =>
      settledRun(
        run,
        counted(() => `run ${job.name}/${run.id}`, endOf(run), run.began),
      ),
    )
    const { note } = job
    if (note?.since === undefined) return runs === job.runs ? job : { ...job, runs }
    const { since } = note
    const counts = counted(() => `since ${job.name} ${since}`, since)
    return runs === job.runs && counts === since ? job : { ...job, runs, note: { ...note, since: counts } }
  })
  const unrecorded = each(found.unrecorded, (one) => {
    const counts = counted(() => `unrecorded ${one.name ?? '-'} ${one.at}`, one.at)
    return counts === one.at ? one : { ...one, at: counts }
  })
  const ahead = [...noticed].slice(0, maxAhead).map(([of, at]) => ({ of, at }))
  return { found: { ...found, jobs, unrecorded }, seen: settledNote(seenJobs, ahead, now) }
}

/** Changes each element. Returns the same list if none has changed, because digests are cached by list. */
function each<T>(all: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = all.map(change)
  return changed.every((one, at) => one === all[at]) ? all : changed
}

const endOf = ({ started, ended = started }: ShownRun): number => Math.max(started, ended)

/** Moves a run back so that its end, or its start if it has no end, is at `counts`. Its duration stays the same. */
function settledRun(run: ShownRun, counts: number): ShownRun {
  const by = endOf(run) - counts
  if (by <= 0) return run
  return { ...run, started: run.started - by, ...(run.ended !== undefined && { ended: run.ended - by }) }
}

/** The fields of the note that are times of the host agent itself, and not of a job. */
const settledTimes = ['read', 'looked', 'woke', 'slept', 'zoned'] as const

/** Returns the note with corrected times. Times in the future become the present time. */
function settledNote(seenJobs: SeenJobs, ahead: NonNullable<SeenJobs['ahead']>, now: number): SeenJobs {
  const times = settledTimes.flatMap((name) => (seenJobs[name] === undefined ? [] : [[name, seenJobs[name]] as const]))
  const lines = each(seenJobs.lines, (line) =>
    line.since === undefined || !isTooFarAhead(line.since * 1000, now * 1000) ? line : { ...line, since: now },
  )
  const { ahead: known = [], ...rest } = seenJobs
  const isSame =
    known.length === ahead.length && known.every(({ of, at }, i) => ahead[i]?.of === of && ahead[i].at === at)
  if (isSame && lines === seenJobs.lines && times.every(([, time]) => !isTooFarAhead(time * 1000, now * 1000)))
    return seenJobs
  return {
    ...rest,
    lines,
    ...Object.fromEntries(times.map(([name, time]) => [name, eventTime(time, now)])),
    ...(ahead.length > 0 && { ahead }),
  }
}
