/**
 * Daily sums of runs, costs and tokens that wait in the row of the last report. Each report writes this row anyway;
 * with a separate row for each sum, most reports would write one more page of the disk. Code that reads the table
 * `usage_day` has to add these sums.
 */
import { paddedJson } from './padding.ts'
import type { UsageDelta } from './stored.ts'

/**
 * The maximum of a daily sum: a million dollars in micro-dollars, or a million million tokens. Sums of many days are
 * then exact numbers too.
 */
export const maxUsage = 1e12
/**
 * The maximum number of sums that are kept with the last report. When there are more, all of them move to `usage_day`.
 * An agent with one model has two sums a day, one for the model and one for the totals.
 */
const maxWaiting = 8
/** The length of the column is padded to a multiple of this number, so that most reports do not change its size. */
const paddedTo = 64

type WrittenSum = [day: number, model: string, runs: number, costMicro: number, outputTokens: number]

/** The daily sums that wait in the column `usage` of an agent's last report. */
export const pendingUsage = (json: string | null): UsageDelta[] => writtenIn(json).map(fromWritten)

const writtenIn = (json: string | null): WrittenSum[] => (json === null ? [] : (JSON.parse(json) as WrittenSum[]))

const fromWritten = ([day, model, runs, costMicro, outputTokens]: WrittenSum): UsageDelta => {
  return { day, model, runs, costMicro, outputTokens }
}

const toWritten = ({ day, model, runs, costMicro, outputTokens }: UsageDelta): WrittenSum => [
  day,
  model,
  runs,
  costMicro,
  outputTokens,
]

/**
 * Adds daily sums to those that wait in the column `usage`. Returns the new column, and the sums that must now be added
 * to the table `usage_day`.
 */
export function addUsage(
  json: string | null,
  gained: readonly UsageDelta[],
): { json: string | null; due: readonly UsageDelta[] } {
  if (gained.length === 0) return { json, due: gained }
  const sums = addToWritten(writtenIn(json), gained)
  return sums.length > maxWaiting
    ? { json: null, due: sums.map(fromWritten) }
    : { json: paddedJson(JSON.stringify(sums), paddedTo), due: [] }
}

/** Adds `gained` to `sums`, by day and model. */
export function addUsageDeltas(sums: readonly UsageDelta[], gained: readonly UsageDelta[]): UsageDelta[] {
  return addToWritten(sums.map(toWritten), gained).map(fromWritten)
}

/**
 * Adds sums to the existing ones. A report may name thousands of models, so with many sums the existing ones are found
 * through a map, and with few by searching.
 */
function addToWritten(sums: WrittenSum[], gained: readonly UsageDelta[]): WrittenSum[] {
  const index = gained.length > maxWaiting ? new Map(sums.map((sum) => [`${sum[0]} ${sum[1]}`, sum])) : undefined
  for (const one of gained) {
    const sum = index
      ? index.get(`${one.day} ${one.model}`)
      : sums.find(([day, m]) => day === one.day && m === one.model)
    if (sum) {
      sum[2] += one.runs
      sum[3] = boundSum(sum[3] + one.costMicro)
      sum[4] = boundSum(sum[4] + one.outputTokens)
      continue
    }
    const first = toWritten(one)
    sums.push(first)
    index?.set(`${one.day} ${one.model}`, first)
  }
  return sums
}

const boundSum = (sum: number): number => Math.max(-maxUsage, Math.min(maxUsage, sum))
