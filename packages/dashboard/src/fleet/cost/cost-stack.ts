/** The chart of the page Cost: its columns and series, from the answer of the service. */
import type { CostPage, CostSplit, NamedCosts } from '@svc/api'
import { type Stack, stackColumn } from '../../ui/charts/stack.ts'
import { count } from '../../ui/time/format.ts'

/** The words for one entry of the answer: its name, or words such as “No blueprint” for costs without a name. */
export function costNameText(
  { name, deleted, cost }: Pick<NamedCosts, 'name' | 'deleted' | 'cost'>,
  per: CostSplit | undefined,
  deletedAgents: number,
): string {
  if (deleted) return deletedAgents > 0 ? count(deletedAgents, 'deleted agent') : 'Deleted agents'
  if (name !== null) return name
  // Agents report the cost of a run and the costs of its models, and these may add up to more.
  if (per === 'model' && cost < 0) return 'Models cost more than their runs'
  return per === 'model' ? 'Model not named' : per === 'blueprint' ? 'No blueprint' : 'All costs'
}

/** Half of the smallest cost, in dollars. Smaller remainders of a subtraction are rounding errors and are not drawn. */
const halfMicro = 0.000_000_5

/** The stacked columns. Parts are matched to series by index, because a model may have the same name as `rest`. */
export function costStack(page: CostPage, per: CostSplit | undefined): Stack {
  const drawn = page.columns[0]?.parts.length ?? 0
  const named = page.names.slice(0, drawn).map((one, color) => ({
    name: costNameText(one, per, page.deletedAgents),
    total: Math.max(0, one.cost),
    color,
  }))
  const hasRest = page.names.length > drawn || page.others.count > 0
  const rest = {
    name: count(page.names.length - drawn + page.others.count, 'other'),
    total: Math.max(0, page.total.cost - named.reduce((sum, { total }) => sum + total, 0)),
    color: null,
  }
  const series = hasRest ? [...named, rest] : named
  const columns = page.columns.map(({ from, cost, parts }) => {
    const others = cost - parts.reduce((sum, part) => sum + part, 0)
    return stackColumn(
      from,
      series.map((one, i) => [one, one === rest ? others : (parts[i] ?? 0)]),
      halfMicro,
    )
  })
  return { columns, series, max: Math.max(0, ...columns.map(({ total }) => total)), total: page.total.cost }
}
