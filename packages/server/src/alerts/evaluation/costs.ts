/**
 * Reads the costs of agents, today and on the days before. Each cost is the sum of a row in `usage_day` and of a cost
 * that is stored with the last report and not in `usage_day` yet.
 */
import type { Db } from '../../platform/db/open.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { type AlertFacts, mayCostTooMuch } from '../rules/conditions.ts'
import type { JudgedRules } from '../rules/may-hold.ts'
import { costsOfDay, earlierCosts, earlierWaitingCosts, type SliceRow, waitingCost } from './fact-rows.ts'

/**
 * The costs of agents, by agent id, only for agents that cost something today. The days before are read only if today's
 * cost is high enough for a rule.
 */
export async function costsOf(
  db: Db,
  { rules, now }: JudgedRules,
  rows: readonly SliceRow[],
): Promise<Map<string, AlertFacts['cost']>> {
  const today = dayOf(now)
  const written = await costsOfDay(
    db,
    rows.map(({ id }) => id),
    today,
  )
  const costs = new Map<string, AlertFacts['cost']>()
  const usages = new Map<string, string | null>()
  for (const { id, usage } of rows) {
    const cost = (written.get(id) ?? 0) + waitingCost(usage, today)
    if (cost <= 0) continue
    costs.set(id, { today: cost, before: [] })
    usages.set(id, usage)
  }
  const high = [...costs].filter(([, { today }]) => mayCostTooMuch(today, rules)).map(([id]) => id)
  for (const [id, days] of await earlierCosts(db, high, today)) {
    for (const [day, cost] of earlierWaitingCosts(usages.get(id) ?? null, today))
      days.set(day, (days.get(day) ?? 0) + cost)
    costs.set(id, { today: costs.get(id)?.today ?? 0, before: [...days.values()].filter((cost) => cost > 0) })
  }
  return costs
}
