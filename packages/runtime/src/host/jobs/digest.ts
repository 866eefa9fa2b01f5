/**
 * Sums up the runs of a job: which runs are in progress, which run ended last, and the failures after which no good run
 * has started. Runs are ordered by their sort numbers, since clocks may be set. The functions are pure, and every list
 * of runs begins with the newest.
 */
import { sortNumberOf } from './ids.ts'
import type { ShownRun } from './reader.ts'

/** A summary of all runs of a job, which does not depend on the time. */
interface Digest {
  readonly last: ShownRun | undefined
  readonly began: number
  readonly running: readonly ShownRun[]
  /** The run that ended last is the first. */
  readonly ended: readonly ShownRun[]
  /** The last failure after which no good run has started. `streak` is the number of such failures. */
  readonly bad: ShownRun | undefined
  readonly streak: number
  readonly usual: number | undefined
  /**
   * The seconds for which a run may be in progress without being a problem. Undefined unless the runs of the job
   * usually overlap.
   */
  readonly mayLive: number | undefined
}

/** The summaries that were made already, since the host agent judges the same runs every few seconds. */
const digests = new WeakMap<readonly ShownRun[], Digest>()

export function digestOf(all: readonly ShownRun[]): Digest {
  const known = digests.get(all)
  if (known) return known
  const runs = all.filter(({ status }) => status !== 'skipped')
  const ended = endedOf(runs)
  const bad = unrepairedEnds(ended)
  const digest = {
    last: runs[0],
    began: runs[0]?.started ?? Number.NEGATIVE_INFINITY,
    running: runs.filter(({ status }) => status === 'running'),
    ended: ended.map(({ run }) => run),
    bad: bad[0],
    streak: bad.length,
    usual: usualOf(ended.map(({ run }) => run)),
    mayLive: mayLiveOf(runs),
  }
  digests.set(all, digest)
  return digest
}

/** The usual duration of a run: the median of the last five good runs. */
function usualOf(ended: readonly ShownRun[]): number | undefined {
  const took = ended
    .flatMap(({ status, started, ended: end }) => (status === 'ok' && end !== undefined ? [end - started] : []))
    .slice(0, 5)
    .sort((a, b) => a - b)
  return took[Math.floor((took.length - 1) / 2)]
}

/** The maximum number of good runs from which svc decides whether the runs of a job usually overlap. */
const overlapRuns = 20
/** Runs usually overlap only if at least this many of them did. */
const minOverlaps = 2

/**
 * Returns the seconds for which a run may be in progress: twice the length of the longest of the last good runs.
 * Undefined unless runs usually overlap, which means that more than half of these runs were in progress when the next
 * run began.
 */
function mayLiveOf(runs: readonly ShownRun[]): number | undefined {
  const good = runs
    .flatMap(({ status, started, ended }, at) =>
      status === 'ok' && ended !== undefined ? [{ took: ended - started, wait: waitAfter(runs, at) }] : [],
    )
    .slice(0, overlapRuns)
  const overlaps = good.filter(({ took, wait }) => wait < took).length
  if (overlaps < minOverlaps || overlaps * 2 <= good.length) return undefined
  return 2 * Math.max(...good.map(({ took }) => took))
}

/**
 * The seconds from the start of a run to the start of the next one. Infinite if there is none or the clock was set
 * back.
 */
function waitAfter(runs: readonly ShownRun[], at: number): number {
  const wait = (runs[at - 1]?.started ?? Number.POSITIVE_INFINITY) - (runs[at]?.started ?? 0)
  return wait < 0 ? Number.POSITIVE_INFINITY : wait
}

/** A run that ended. `upTo` is the sort number of the newest run that had started by then. */
interface EndedRun {
  readonly run: ShownRun
  readonly upTo: number
}

/** The runs that ended. The one that ended last is first. */
export function endedOf(runs: readonly ShownRun[]): EndedRun[] {
  return runs
    .flatMap((run, at) => (run.status === 'running' ? [] : [{ run, upTo: run.upTo ?? upToOf(runs, at) }]))
    .sort(
      (a, b) => b.upTo - a.upTo || endOfRun(b.run) - endOfRun(a.run) || sortNumberOf(b.run.id) - sortNumberOf(a.run.id),
    )
}

/** The end of a run. A lost run has no known end, so its start counts. */
export const endOfRun = ({ ended, started }: ShownRun): number => ended ?? started

/**
 * Computes `upTo` from the times of the runs, for a record without `upTo`. If the clock was set back, the result may be
 * too low, as if no runs overlapped.
 */
function upToOf(runs: readonly ShownRun[], at: number): number {
  const own = runs[at]
  if (own === undefined) return 0
  let sortNumber = sortNumberOf(own.id)
  for (let next = at - 1; next >= 0; next--) {
    const later = runs[next]
    if (later === undefined || later.started < own.started || later.started >= endOfRun(own)) break
    sortNumber = sortNumberOf(later.id)
  }
  return sortNumber
}

/**
 * Returns the bad runs that no later good run has made up for, the one that ended last first. Such a good run must have
 * started after the bad run had ended, since runs may overlap.
 */
export function unrepairedEnds(ended: readonly EndedRun[]): ShownRun[] {
  const good = ended.map(({ run }) => run).filter(({ status }) => status === 'ok')
  const newest = Math.max(...good.map(({ id }) => sortNumberOf(id)))
  return ended.flatMap(({ run, upTo }) => {
    if (run.status === 'ok') return []
    const isOld = run.status === 'lost' ? good.some((later) => isAfterLoss(later, run)) : newest > upTo
    return isOld ? [] : [run]
  })
}

/**
 * True if a run began after another one was lost. The time of a loss is not known, but later runs note which others are
 * in progress.
 */
const isAfterLoss = ({ id, beside }: ShownRun, lost: ShownRun): boolean =>
  sortNumberOf(id) > sortNumberOf(lost.id) && !beside?.includes(lost.id)
