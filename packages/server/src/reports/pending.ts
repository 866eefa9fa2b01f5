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
export const pendingUsage = (json: string | null): UsageDelta[] =>
  json === null ? [] : (JSON.parse(json) as Written[]).map(read)

const read = ([day, model, runs, costMicro, outputTokens]: Written): UsageDelta => {
  return { day, model, runs, costMicro, outputTokens }
}

/** The column after these have come, and what `usage_day` gains now. */
export function addUsage(
  json: string | null,
  gained: readonly UsageDelta[],
): { json: string | null; due: readonly UsageDelta[] } {
  if (gained.length === 0) return { json, due: gained }
  const sums = addUp(pendingUsage(json), gained)
  return sums.length > waitMost ? { json: null, due: sums } : { json: JSON.stringify(sums.map(written)), due: [] }
}

/** `sums` with these added, by day and model. */
export function addUp(sums: readonly UsageDelta[], gained: readonly UsageDelta[]): UsageDelta[] {
  const all = [...sums]
  for (const one of gained) {
    const place = all.findIndex(({ day, model }) => day === one.day && model === one.model)
    const sum = all[place]
    if (sum) all[place] = added(sum, one)
    else all.push(one)
  }
  return all
}

const added = ({ day, model, ...sum }: UsageDelta, one: UsageDelta): UsageDelta => ({
  ...{ day, model },
  runs: sum.runs + one.runs,
  costMicro: bounded(sum.costMicro + one.costMicro),
  outputTokens: bounded(sum.outputTokens + one.outputTokens),
})

const bounded = (sum: number): number => Math.max(-usageMost, Math.min(usageMost, sum))

const written = ({ day, model, runs, costMicro, outputTokens }: UsageDelta): Written => [
  day,
  model,
  runs,
  costMicro,
  outputTokens,
]
