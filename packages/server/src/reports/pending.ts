/**
 * Sums of days that wait in the row of the last report, which each report writes anyway: on the embedded engine rows of their
 * own would be a third page of the disk for most reports. Whoever reads sums adds these.
 */
import type { UsageDelta } from './rows.ts'
import { usageMost } from './runs.ts'

/** When more wait, they go to `usage_day`, all at once. An agent with one model has two a day. */
const waitMost = 8

type Written = [day: number, model: string, runs: number, costMicro: number, outputTokens: number]

/** What waits in this column. */
export const pendingUsage = (json: string | null): UsageDelta[] => writtenIn(json).map(read)

const writtenIn = (json: string | null): Written[] => (json === null ? [] : (JSON.parse(json) as Written[]))

const read = ([day, model, runs, costMicro, outputTokens]: Written): UsageDelta => {
  return { day, model, runs, costMicro, outputTokens }
}

const written = ({ day, model, runs, costMicro, outputTokens }: UsageDelta): Written => [
  day,
  model,
  runs,
  costMicro,
  outputTokens,
]

/** The column after these have come, and what `usage_day` gains now. */
export function addUsage(
  json: string | null,
  gained: readonly UsageDelta[],
): { json: string | null; due: readonly UsageDelta[] } {
  if (gained.length === 0) return { json, due: gained }
  const sums = writtenIn(json)
  for (const one of gained) add(sums, one)
  return sums.length > waitMost ? { json: null, due: sums.map(read) } : { json: JSON.stringify(sums), due: [] }
}

/** `sums` with these added, by day and model. */
export function addUp(sums: readonly UsageDelta[], gained: readonly UsageDelta[]): UsageDelta[] {
  const all = sums.map(written)
  for (const one of gained) add(all, one)
  return all.map(read)
}

function add(sums: Written[], one: UsageDelta): void {
  for (const sum of sums) {
    if (sum[0] !== one.day || sum[1] !== one.model) continue
    sum[2] += one.runs
    sum[3] = bounded(sum[3] + one.costMicro)
    sum[4] = bounded(sum[4] + one.outputTokens)
    return
  }
  sums.push(written(one))
}

const bounded = (sum: number): number => Math.max(-usageMost, Math.min(usageMost, sum))
