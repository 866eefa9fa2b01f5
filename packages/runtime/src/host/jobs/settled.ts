/**
 * Corrects what is known about jobs, after the clock was set back and after a time without a host agent. The functions
 * are pure; times are Unix seconds.
 */
import { eventTime, isTooFarAhead } from '@svc/protocol'
import { jobFactsOf } from './facts.ts'
import { judgeJob } from './judge.ts'
import { lateNote } from './overdue.ts'
import type { FoundJobs, ShownRun } from './reader.ts'
import type { SeenJobs } from './seen.ts'

interface SettledJobs {
  readonly found: FoundJobs
  /** The note with corrected times; the same object if nothing changed. */
  readonly seen: SeenJobs
}

/** The maximum number of corrected times that are remembered. */
const maxAhead = 1000

/**
 * Corrects the times of all runs and of the note that are in the future at `at`, because the clock was set back. Such
 * a time is replaced by the time at which this was noticed or, for a run whose process lives, by the start of the
 * process. The new time is remembered, since otherwise it would move with the clock.
 */
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

/** Returns the note with a list of the jobs that were overdue at the last look before the clock was set back. */
export function keepOverdue(seenJobs: SeenJobs, found: FoundJobs, { from, now, zone }: SetBack): SeenJobs {
  const context = { now: from, zone, woke: seenJobs.woke, slept: seenJobs.slept }
  const late = jobFactsOf(found, seenJobs, zone)
    .map((facts) => judgeJob(facts, context))
    .flatMap(({ name, isOverdue, due, runs }) =>
      isOverdue && due !== undefined ? [lateNote(name, Math.min(due - (from - now), now), runs)] : [],
    )
  return late.length === 0 && seenJobs.late === undefined ? seenJobs : { ...seenJobs, late }
}

interface SetBack {
  /** The time of the last look before the clock was set back, by the old clock. */
  readonly from: number
  /** The time now, by the new clock. */
  readonly now: number
  readonly zone: string
}

/** A shorter time without a host agent changes nothing: it is a restart or an update of svc. */
const shortSeconds = 15 * 60

/**
 * Returns the note for a host agent that starts at `now`, on a machine that started at `boot`. If the machine was on
 * without a host agent, a job that was not overdue at the last look is due at its next time after `now`. If the machine
 * was off, nothing changes, since the job really did not run.
 */
export function seenAfterBreak(seenJobs: SeenJobs, found: FoundJobs, { now, boot, zone }: MachineNow): SeenJobs {
  const from = seenJobs.looked ?? seenJobs.read
  if (from === undefined || now - Math.max(from, boot) < shortSeconds) return seenJobs
  const context = { now: from, zone, woke: seenJobs.woke, slept: seenJobs.slept }
  // Nobody saw meanwhile whether lines of the crontab were removed and put back, so it is unknown which jobs were due.
  const overdue = jobFactsOf(found, seenJobs, zone)
    .map((facts) => judgeJob(facts, context))
    .filter(({ isOverdue }) => isOverdue)
  const stays = new Set(overdue.map(({ name }) => name))
  return {
    ...seenJobs,
    lines: seenJobs.lines.map((line) => (stays.has(line.name) ? line : { ...line, since: Math.floor(now) })),
  }
}

interface MachineNow {
  readonly now: number
  /** When the machine started. */
  readonly boot: number
  readonly zone: string
}
