/**
 * Functions for the runs of an agent: the newest runs (D10), the length of a run, and a run in words.
 */

interface StartedRun {
  readonly started?: number | undefined
}

/**
 * A run whose start is more than this many milliseconds in the future is sorted by the time at which it was first seen.
 */
const maxAheadMs = 86_400_000

/**
 * Returns the sort key of a run, in Unix milliseconds. The key is `started` if that is above 0 and at most a day in the
 * future; otherwise it is `now`, the time at which the run was first seen.
 */
export const runSortKey = ({ started }: StartedRun, now: number): number =>
  started !== undefined && started > 0 && started * 1000 <= now + maxAheadMs ? started * 1000 : now

/**
 * Returns the newest `max` runs by their sort key, in the order of the input. Of two runs with the same key, the later
 * one in the input counts as newer.
 */
export function newestRuns<T extends StartedRun>(runs: readonly T[], max: number, now: number): T[] {
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

/** The usual statuses of a run that is not over. Agents choose the words of their statuses themselves. */
const inProgress: ReadonlySet<string> = new Set(['running', 'active', 'started', 'queued', 'pending'])

/**
 * The statuses that the alert rule for failed runs counts by default. The status `died` of an AI session is not among
 * them, since a health item tells of such a session.
 */
export const failedStatuses = ['failed', 'error', 'timeout', 'lost'] as const

/** True if a status, in any letter case, is one of the usual statuses of a run that is not over. */
export const isInProgress = (status: string): boolean => inProgress.has(status.toLowerCase())

/** The texts of a run in progress. */
interface RunTexts {
  readonly kind?: string
  readonly detail?: string
  readonly subjects?: readonly { readonly title: string }[]
}

/**
 * One line about a run in progress, such as `triage: Reading the attachments`; empty if the run has no text. For a job,
 * the line includes the title of the first subject, which is the name of the job.
 */
export function activeLine({ kind = '', detail, subjects }: RunTexts): string {
  const title = subjects?.[0]?.title
  const what = kind === 'job' ? [title, detail].filter(Boolean).join(', ') : (detail ?? title ?? '')
  return kind !== '' && what !== '' ? `${kind}: ${what}` : kind + what
}

/** The name under which the output of the last run of a job may be requested (2.7). */
export const jobLogName = (job: string): string => `job/${job}`
/** The name under which the output of the last failed run of a job may be requested (2.7). */
export const failedLogName = (job: string): string => `failed/${job}`
