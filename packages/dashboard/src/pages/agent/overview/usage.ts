import type { UsageDay } from '@svc/api'
import type { Column } from '../../../ui/charts/index.ts'

/** The part of a day's cost without a model. */
const unnamed = 'model not named'

/**
 * One column per day, also for days without runs. Shows cost by model if a cost was reported, otherwise the number of
 * runs.
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

/** Apart from rounding, cost that the models do not account for is shown, not lost. */
function costParts({ cost, models }: UsageDay): Record<string, number> {
  const named = Object.values(models).reduce((sum, one) => sum + one, 0)
  const rest = cost - named
  return rest > 0.000_05 ? { ...models, [unnamed]: rest } : { ...models }
}
