/** Counters and gauges of the agent routes. */
export interface AgentApiMetrics {
  /** Accepted reports, including those that arrived after a later one (D11). */
  reports: number
  logs: number
  /** The refusals of the agent routes by code, including `unavailable`. */
  refused: Record<string, number>
  commandsDelivered: number
  batches: number
  /** The number of batches in each class of sizes; the key is the largest size of the class. */
  batchSizes: Record<(typeof batchClasses)[number], number>
  /** The seconds that all batches together have taken, with the retries after failures. */
  commitSeconds: number
  /** The seconds that the slowest batch has taken. */
  maxCommitSeconds: number
  /** The number of reports that wait for a batch. */
  waiting: number
  /** The number of reports in batches that are being stored. */
  inBatches: number
}

const batchClasses = [1, 4, 16, 64, 128] as const

export const createMetrics = (): AgentApiMetrics => ({
  reports: 0,
  logs: 0,
  refused: Object.create(null),
  commandsDelivered: 0,
  batches: 0,
  batchSizes: { 1: 0, 4: 0, 16: 0, 64: 0, 128: 0 },
  commitSeconds: 0,
  maxCommitSeconds: 0,
  waiting: 0,
  inBatches: 0,
})

export function countRefusal(metrics: AgentApiMetrics, code: string): void {
  metrics.refused[code] = (metrics.refused[code] ?? 0) + 1
}

export function countBatch(metrics: AgentApiMetrics, size: number, seconds: number): void {
  metrics.batches++
  metrics.commitSeconds += seconds
  metrics.maxCommitSeconds = Math.max(metrics.maxCommitSeconds, seconds)
  metrics.batchSizes[batchClasses.find((max) => size <= max) ?? 128]++
}
