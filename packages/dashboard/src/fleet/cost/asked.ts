/** The choices of the page Cost, which its address keeps: the period, the step of the columns, and the split. */
import type { CostSplit, CostStep } from '@svc/api'
import { costDays } from '../../paths.ts'

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
