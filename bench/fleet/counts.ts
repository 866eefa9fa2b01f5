/** A histogram of response times in steps of 2 %: two million reports in 6 KB. */
const minMs = 0.01
const step = Math.log(1.02)
const steps = 800

export interface Counts {
  answered: number
  /** By status, or in one word. */
  errors: Record<string, number>
  /**
   * Reports, by agent and number, that were not answered on a kept connection. The database shows whether the service
   * received them.
   */
  crossed: { agent: number; n: number }[]
  /** Reports by their time. */
  times: number[]
  slowest: number
  /** Agents that have had no answer yet, or were asked for a longer interval by the last one. */
  unsettled: number
  /** The maximum delay of the generator itself in milliseconds. If it is large, the figures measure the generator. */
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

/** The time in milliseconds that this share of the reports did not exceed. */
export function quantile({ times, answered }: Counts, share: number): number {
  let left = answered * share
  for (const [i, n] of times.entries()) {
    left -= n
    if (left <= 0 && n > 0) return minMs * Math.exp(step * (i + 1))
  }
  return Number.NaN
}
