/**
 * Decides which run of a job ended last, and which bad end is still the news. Runs may overlap, and clocks may be set, so
 * the places of runs decide, and not their times. Pure; the newest run of a list is the first.
 */
import { placeOf } from './ids.ts'
import type { ShownRun } from './reader.ts'

/** The runs that ended, each with the place of the newest run that had started by then. The one that ended last is first. */
interface EndedRun {
  readonly run: ShownRun
  readonly upTo: number
}

export function endedOf(runs: readonly ShownRun[]): EndedRun[] {
  return runs
    .flatMap((run, at) => (run.status === 'running' ? [] : [{ run, upTo: run.upTo ?? upToOf(runs, at) }]))
    .sort((a, b) => b.upTo - a.upTo || endOf(b.run) - endOf(a.run) || placeOf(b.run.id) - placeOf(a.run.id))
}

/** A run that was lost has no known end, so its start counts. */
export const endOf = ({ ended, started }: ShownRun): number => ended ?? started

/** The same from the times of a record that does not tell it. After a clock was set back, the runs did not overlap. */
function upToOf(runs: readonly ShownRun[], at: number): number {
  const own = runs[at]
  if (own === undefined) return 0
  let place = placeOf(own.id)
  for (let next = at - 1; next >= 0; next--) {
    const later = runs[next]
    if (later === undefined || later.started < own.started || later.started >= endOf(own)) break
    place = placeOf(later.id)
  }
  return place
}

/**
 * The bad ends that no good run has made old, the last one first. A good run must have started after the bad one had ended:
 * of several copies of a job, one that ends well does not make good the one that failed beside it.
 */
export function badOf(ended: readonly EndedRun[]): ShownRun[] {
  const good = ended.map(({ run }) => run).filter(({ status }) => status === 'ok')
  const newest = Math.max(...good.map(({ id }) => placeOf(id)))
  return ended.flatMap(({ run, upTo }) => {
    if (run.status === 'ok') return []
    const isOld = run.status === 'lost' ? good.some((later) => isAfterLoss(later, run)) : newest > upTo
    return isOld ? [] : [run]
  })
}

/** True if a run began after another one was lost. Nobody knows when that was, but later runs note which others live. */
const isAfterLoss = ({ id, beside }: ShownRun, lost: ShownRun): boolean =>
  placeOf(id) > placeOf(lost.id) && !beside?.includes(lost.id)
