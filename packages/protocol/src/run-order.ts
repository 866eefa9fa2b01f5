/** Decides which runs of an agent are the newest (D10), and how long a run took. */

interface Started {
  readonly started?: number | undefined
}

/**
 * A run whose start is more than this many milliseconds in the future is sorted by the time at which it was first seen.
 */
const aheadMaxMs = 86_400_000

/**
 * Returns the sort key of a run, in Unix milliseconds. The key is `started` if that is above 0 and at most a day in the
 * future; otherwise it is `now`, the time at which the run was first seen.
 */
export const runSortKey = ({ started }: Started, now: number): number =>
  started !== undefined && started > 0 && started * 1000 <= now + aheadMaxMs ? started * 1000 : now

/**
 * Returns the newest `max` runs by their sort key, in the order of the input. Of two runs with the same key, the later
 * one in the input counts as newer.
 */
export function newestRuns<T extends Started>(runs: readonly T[], max: number, now: number): T[] {
  const excess = runs.length - max
  if (excess <= 0) return [...runs]
  const places = Float64Array.from(runs, (run) => runSortKey(run, now))
  const lowest = Float64Array.from(places).sort().subarray(0, excess)
  const highestGone = lowest.at(-1) ?? Number.NEGATIVE_INFINITY
  let goneAtHighest = excess - lowest.indexOf(highestGone)
  return runs.filter((_, i) => {
    const place = places[i] as number
    return place === highestGone ? goneAtHighest-- <= 0 : place > highestGone
  })
}

/** The length of a run in seconds; undefined if it has no start, has not ended, or ended before it started. */
export const runSeconds = (run: { started?: number; ended?: number }): number | undefined =>
  run.started !== undefined && run.ended !== undefined && run.ended >= run.started ? run.ended - run.started : undefined
