import type { UsageDay } from '@svc/api'
import type { Column } from '../../../ui/charts/index.ts'

/** The name for the part of a day's cost that belongs to no model. */
const unnamed = 'model not named'

/**
 * The columns of the chart of an agent's costs: one for each day, also for days without runs. The columns show the cost
 * by model if any cost was reported, otherwise the number of runs.
 */
export function usageColumns(
  days: readonly UsageDay[],
  keys: readonly string[],
): { costs: boolean; columns: Column[] } {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const costs = days.some((day) => day.cost > 0 || Object.values(day.models).some((cost) => cost > 0))
  const columns = keys.map((key) => {
    const day = byDay.get(key)
    return { key, parts: day === undefined ? {} : costs ? costParts(day) : { runs: day.runs } }
  })
  return { costs, columns }
}

/**
 * The costs of a day by model. The part of the day's cost that no model accounts for is added as `model not named`,
 * unless it is only a rounding error.
 */
function costParts({ cost, models }: UsageDay): Record<string, number> {
  const named = Object.values(models).reduce((sum, one) => sum + one, 0)
  const rest = cost - named
  return rest > 0.000_05 ? { ...models, [unnamed]: rest } : { ...models }
}
