/**
 * Pure functions of the page Cost: they turn the choices in its address into the request to the service, and the answer
 * into the chart. The choices are the period, the step of the columns, and the split.
 */
import type { CostPage, CostSplit, CostStep, NamedCosts } from '@svc/api'
import { costDays } from '../../paths.ts'
import { type Stack, stackColumn } from '../../ui/charts/stack.ts'
import { count } from '../../ui/time/format.ts'

export const costStepChoices = ['day', 'week', 'month'] as const satisfies readonly CostStep[]
/** The splits that can be chosen; the first one is the default. `nothing` shows the sums of everything. */
export const costSplitChoices = ['model', 'agent', 'blueprint', 'nothing'] as const satisfies readonly (
  | CostSplit
  | 'nothing'
)[]

/** The parameters of the address of the page Cost. */
export interface CostSearch {
  days?: (typeof costDays)[number]
  /** The first and the last day, if the person chose dates. */
  from?: string
  to?: string
  by?: CostStep
  per?: (typeof costSplitChoices)[number]
}

const dayMs = 86_400_000
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The request to the service for the choices in the address. */
export function costRequestOf(
  search: CostSearch,
  now: number,
): { from: string; to?: string; by: CostStep; per?: CostSplit } {
  const per = search.per ?? costSplitChoices[0]
  const { from, to } = search
  return {
    from:
      from ??
      dayText((to === undefined ? now : Date.parse(to) || now) - (Number(search.days ?? costDays[0]) - 1) * dayMs),
    ...(to !== undefined && { to }),
    by: search.by ?? stepFor(search),
    ...(per !== 'nothing' && { per }),
  }
}

/** The step of the columns if the person chose none. 400 days are shown by week, because days would be too narrow. */
export const stepFor = ({ days, from }: CostSearch): CostStep => (days === '400' && from === undefined ? 'week' : 'day')

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
