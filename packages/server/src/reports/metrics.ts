/** Plain counts of the agent routes, for whoever shows them; they only grow. */
export interface AgentMetrics {
  /** Reports that were stored, and those that came after a later one (D11). */
  reports: number
  logs: number
  /** Refusals of the agent routes by code, `unavailable` among them. */
  refused: Record<string, number>
  commandsDelivered: number
  batches: number
  /** Batches by size: the key is the largest size of its class. */
  batchSizes: Record<(typeof batchClasses)[number], number>
  /** Seconds spent in committing, all batches together. */
  commitSeconds: number
  /** The longest of them. */
  maxCommitSeconds: number
  /** Reports that wait for a batch at this moment. */
  waiting: number
  /** Reports in batches that are being committed. */
  inBatches: number
}

const batchClasses = [1, 4, 16, 64, 128] as const

export const createMetrics = (): AgentMetrics => ({
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

export function countRefusal(metrics: AgentMetrics, code: string): void {
  metrics.refused[code] = (metrics.refused[code] ?? 0) + 1
}

export function countBatch(metrics: AgentMetrics, size: number, seconds: number): void {
  metrics.batches++
  metrics.commitSeconds += seconds
  metrics.maxCommitSeconds = Math.max(metrics.maxCommitSeconds, seconds)
  metrics.batchSizes[batchClasses.find((max) => size <= max) ?? 128]++
}
