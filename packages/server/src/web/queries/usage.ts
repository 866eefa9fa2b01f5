import type { UsageDay } from '@svc/api'
import { addUsageDeltas, pendingUsage } from '../../fleet/reports/pending.ts'
import type { UsageDelta } from '../../fleet/reports/stored.ts'
import { otherModels } from '../../fleet/reports/usage-names.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { firstThatFit, jsonSize } from './fitting.ts'

/**
 * The maximum number of rows with daily sums to read. An agent may have more until the sweeper has added up the models
 * of old days; then only the newest days are read.
 */
const usageRowsRead = 12_000
/** The maximum bytes of model names in an answer, so that the whole answer stays below 256 KB. */
const maxNameBytes = 180 * 1024
/** The maximum bytes that a cost takes in the answer, besides the name of its model. */
const costBytes = 20

/**
 * Runs, cost and tokens of the last `days` days (UTC, including today), oldest first; days without a run are zeros. If
 * there are too many models for an answer, the cheapest ones are summed as "other".
 */
export async function usagePerDay(db: Db, agent: { id: string }, days: number, now: number): Promise<UsageDay[]> {
  const first = dayNumber(now) - days + 1
  const all = Array.from(
    { length: days },
    (_, i): UsageDay => ({
      day: new Date((first + i) * dayMs).toISOString().slice(0, 10),
      runs: 0,
      cost: 0,
      outputTokens: 0,
      models: Object.create(null),
    }),
  )
  const sums = await usageSums(db, agent, first)
  const named = namesWithin(sums, maxNameBytes)
  for (const sum of sums) {
    const day = all[sum.day - first]
    if (!day) continue
    if (sum.model !== '') addCost(day.models, named.has(sum.model) ? sum.model : otherModels, sum.costMicro)
    else Object.assign(day, { runs: sum.runs, cost: sum.costMicro / 1_000_000, outputTokens: sum.outputTokens })
  }
  return all
}

function addCost(models: Record<string, number>, model: string, costMicro: number): void {
  models[model] = Math.round((models[model] ?? 0) * 1_000_000 + costMicro) / 1_000_000
}

/**
 * The most expensive models whose names fit into `bytesMax`. A name counts once for every day with a sum of its model,
 * because the answer repeats it.
 */
function namesWithin(sums: readonly UsageDelta[], bytesMax: number): ReadonlySet<string> {
  const models = new Map<string, { cost: number; bytes: number }>()
  for (const { model, costMicro } of sums) {
    if (model === '') continue
    const known = models.get(model) ?? { cost: 0, bytes: 0 }
    models.set(model, { cost: known.cost + costMicro, bytes: known.bytes + jsonSize(model) + costBytes })
  }
  const ordered = [...models].sort(([a, x], [b, y]) => y.cost - x.cost || (a < b ? -1 : 1))
  return new Set(firstThatFit(ordered, ([, { bytes }]) => bytes, bytesMax).map(([model]) => model))
}

/**
 * The daily sums of an agent from a day on, by day and model: those in the table `usage_day`, and those still stored
 * with the last report.
 */
export async function usageSums(db: Db, agent: { id: string }, from = 0): Promise<UsageDelta[]> {
  const days = db
    .selectFrom('usage_day')
    .select(['day', 'model', 'runs', 'cost_micro as costMicro', 'output_tokens as outputTokens'])
    .where('agent_id', '=', agent.id)
    .where('day', '>=', from)
    .orderBy('day', 'desc')
    .limit(usageRowsRead)
  const stored = [...(await days.where('model', '=', '').execute()), ...(await days.where('model', '!=', '').execute())]
  const last = await db.selectFrom('agent_report').select('usage').where('agent_id', '=', agent.id).executeTakeFirst()
  return addUsageDeltas(
    stored,
    pendingUsage(last?.usage ?? null).filter(({ day }) => day >= from),
  )
}
