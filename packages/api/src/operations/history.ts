/** Operations about what was before: the costs of a workspace. */
import { shown } from '@svc/protocol'
import type { CostPage, CostRow, CostRun, CostSplit, CostStep } from '../answers/costs.ts'
import { InputRefused, oneOf, optional, type Reader, reader, strictQuery } from '../input.ts'
import { look } from '../operation.ts'
import { slugArgument } from './arguments.ts'

export const costSteps = ['day', 'week', 'month'] as const satisfies readonly CostStep[]
export const costSplits = ['agent', 'model', 'blueprint'] as const satisfies readonly CostSplit[]
/** The days of an answer about costs, if the request names no first day. */
export const costDays = 30

const dayMs = 86_400_000

/** A day such as `2026-11-21`, of a number of days since 1970 (UTC). */
export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Reads a day such as `2026-11-21`, as a number of days since 1970 (UTC). */
export const date: Reader<number> = reader({ is: 'text', kind: 'judged', max: 10 }, (value, field) => {
  const day = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) / dayMs : Number.NaN
  // The 30th of February is read as a day in March.
  if (Number.isInteger(day) && dayText(day) === value) return day
  throw new InputRefused(`${field} must be a date such as 2026-11-21: got ${shown(value)}.`)
})

const costValues = strictQuery({
  from: optional(date),
  to: optional(date),
  by: optional(oneOf(costSteps)),
  per: optional(oneOf(costSplits)),
})
/** The time of an answer about costs, and how its sums are split. */
const whichCosts: typeof costValues = reader({ is: 'query' }, (value, field) => {
  const asked = costValues(value, field)
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
    throw new InputRefused(`from must not be after to: from is ${dayText(asked.from)}, to is ${dayText(asked.to)}.`)
  return asked
})

/** The first and the last day of an answer about costs, as days since 1970 (UTC). */
export function costTime(asked: { from?: number; to?: number }, today: number): { from: number; to: number } {
  const to = asked.to ?? Math.max(today, asked.from ?? today)
  return { from: asked.from ?? to - costDays + 1, to }
}

export const cost = look<CostRow[]>()('GET /w/:slug/history/cost', {
  says: 'show what a workspace cost, by day, week or month',
  input: whichCosts,
  command: {
    name: 'history cost',
    args: [slugArgument],
    options: [
      ['--from <date>', 'the first day, such as 2026-11-21; by default 30 days before the end'],
      ['--to <date>', 'the last day; by default today. Days are those of UTC'],
      ['--by <time>', 'sums of a day, a week or a month; by default of a day. Weeks begin on Monday'],
      ['--per <split>', 'sums for each agent, model or blueprint; by default of everything'],
      ['--csv', 'print CSV'],
    ],
  },
})
export const exportCost = look<string>()('GET /w/:slug/history/cost/export', {
  says: 'download what a workspace cost as CSV',
  input: whichCosts,
})
export const costPage = look<CostPage>()('GET /w/:slug/cost', {
  says: 'show the costs of a workspace with its most expensive agents, models or blueprints',
  input: whichCosts,
})
export const costRuns = look<CostRun[]>()('GET /w/:slug/cost/runs', {
  says: 'list the 20 most expensive runs of the last 7 days',
})
