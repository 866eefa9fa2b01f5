/**
 * The counts of the load generator in a measurement. Response times are in a histogram with steps of 2 %, which holds
 * two million reports in 6 KB.
 */
const minMs = 0.01
const step = Math.log(1.02)
const steps = 800

export interface Counts {
  answered: number
  /** The number of errors, by HTTP status or by a word for the error. */
  errors: Record<string, number>
  /**
   * The reports that got no answer because the server closed their idle connection while they were sent: the number of
   * the agent, and the number of the report. The database shows whether the service received them.
   */
  crossed: { agent: number; n: number }[]
  /** The number of reports in each step of the histogram. */
  times: number[]
  slowest: number
  /** The number of agents that have had no answer yet, or whose last answer asked for a longer interval. */
  unsettled: number
  /**
   * The maximum delay, in milliseconds, with which the load generator itself sent a report. If it is large, the figures
   * describe the generator and not the service.
   */
  late: number
}

export const newCounts = (): Counts => ({
  answered: 0,
  errors: {},
  crossed: [],
  times: new Array(steps).fill(0),
  slowest: 0,
  unsettled: 0,
  late: 0,
})

export function addTo(counts: Counts, ms: number): void {
  const place = Math.min(steps - 1, Math.max(0, Math.floor(Math.log(ms / minMs) / step)))
  counts.times[place] = (counts.times[place] ?? 0) + 1
  counts.answered++
  if (ms > counts.slowest) counts.slowest = ms
}

export function countError(counts: Counts, name: string): void {
  counts.errors[name] = (counts.errors[name] ?? 0) + 1
}

export function sum(all: readonly Counts[]): Counts {
  const total = newCounts()
  for (const one of all) {
    total.answered += one.answered
    total.slowest = Math.max(total.slowest, one.slowest)
    total.late = Math.max(total.late, one.late)
    total.unsettled += one.unsettled
    total.crossed.push(...one.crossed)
    for (const [name, n] of Object.entries(one.errors)) total.errors[name] = (total.errors[name] ?? 0) + n
    for (const [i, n] of one.times.entries()) total.times[i] = (total.times[i] ?? 0) + n
  }
  return total
}

/** The response time in milliseconds that the given share of the reports did not exceed. */
export function quantile({ times, answered }: Counts, share: number): number {
  let left = answered * share
  for (const [i, n] of times.entries()) {
    left -= n
    if (left <= 0 && n > 0) return minMs * Math.exp(step * (i + 1))
  }
  return Number.NaN
}
