/** D10: which runs of an agent are the newest ones. */

interface Started {
  readonly started?: number | undefined
}

/** A run that claims to start later than this counts by when it was first seen. */
const aheadMaxMs = 86_400_000

/** Where a run stands, in Unix milliseconds: `started`, if it is above 0 and at most a day ahead, else the time of first sight. */
export const placeOf = ({ started }: Started, now: number): number =>
  started !== undefined && started > 0 && started * 1000 <= now + aheadMaxMs ? started * 1000 : now

/** The newest `max` of them, in the order in which they came. Of runs with one place the later ones in the list are the newer. */
export function newestRuns<T extends Started>(runs: readonly T[], max: number, now: number): T[] {
  const excess = runs.length - max
  if (excess <= 0) return [...runs]
  const places = Float64Array.from(runs, (run) => placeOf(run, now))
  const lowest = Float64Array.from(places).sort().subarray(0, excess)
  const highestGone = lowest.at(-1) ?? Number.NEGATIVE_INFINITY
  let goneAtHighest = excess - lowest.indexOf(highestGone)
  return runs.filter((_, i) => {
    const place = places[i] as number
    return place === highestGone ? goneAtHighest-- <= 0 : place > highestGone
  })
}
