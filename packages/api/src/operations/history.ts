/** Operations about the past: states and changes of agents, and the costs of a workspace. */
import { levels, limits, listIn, shown } from '@svc/protocol'
import type { CostPage, CostRow, CostRun, CostSplit, CostStep } from '../answers/costs.ts'
import type { AgentTrend, HistoryChange, PastAgentState, StateSpan, StateStrips } from '../answers/history.ts'
import { fieldOf, InputRefused, oneOf, optional, pasted, type Reader, reader, strictQuery } from '../input.ts'
import { listedChanges } from '../left-off.ts'
import { reading } from '../operation.ts'
import { maxStrips } from '../words/strips.ts'
import { agentArgument, slugArgument } from './arguments.ts'

export const costSteps = ['day', 'week', 'month'] as const satisfies readonly CostStep[]
export const costSplits = ['agent', 'model', 'blueprint'] as const satisfies readonly CostSplit[]
/** The number of days that an answer about costs covers if the request names no first day. */
export const costDays = 30

const dayMs = 86_400_000

/** Writes a number of days since 1970 (UTC) as a date such as `2026-11-21`. */
export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Reads a date such as `2026-11-21`, and returns the number of days since 1970 (UTC). */
export const date: Reader<number> = reader({ is: 'text', kind: 'identifier', max: 10 }, (value, field) => {
  const day = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) / dayMs : Number.NaN
  // `Date.parse` reads the 30th of February as a day in March.
  if (Number.isInteger(day) && dayText(day) === value) return day
  throw new InputRefused(`${field} must be a date such as 2026-11-21: got ${shown(value)}.`)
})

const costValues = strictQuery({
  from: optional(date),
  to: optional(date),
  by: optional(oneOf(costSteps)),
  per: optional(oneOf(costSplits)),
})
/** The period of an answer about costs, and how its sums are split. */
const whichCosts: typeof costValues = reader(costValues.form, (value, field) => {
  const asked = costValues(value, field)
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
    throw new InputRefused(
      `${fieldOf(field, 'from')} must not be after ${fieldOf(field, 'to')}: from is ${dayText(asked.from)}, to is ${dayText(asked.to)}.`,
    )
  return asked
})

/** The first and the last day of an answer about costs, as days since 1970 (UTC). */
export function costPeriodOf(asked: { from?: number; to?: number }, today: number): { from: number; to: number } {
  const to = asked.to ?? Math.max(today, asked.from ?? today)
  return { from: asked.from ?? to - costDays + 1, to }
}

export const cost = reading<CostRow[]>()('GET /w/:slug/history/cost', {
  says: 'show what a workspace cost, by day, week or month',
  input: whichCosts,
  command: {
    name: 'history cost',
    args: [slugArgument],
    options: [
      ['--from <date>', 'the first day, such as 2026-11-21; by default the 30 days up to the end'],
      ['--to <date>', 'the last day; by default today. Days are those of UTC'],
      ['--by <time>', 'sums of a day, a week or a month; by default of a day. Weeks begin on Monday'],
      ['--per <split>', 'sums for each agent, model or blueprint; by default of everything'],
      ['--csv', 'print CSV'],
    ],
  },
})
export const exportCost = reading<string>()('GET /w/:slug/history/cost/export', {
  says: 'download what a workspace cost as CSV',
  input: whichCosts,
})
export const costPage = reading<CostPage>()('GET /w/:slug/cost', {
  says: 'show the costs of a workspace with its most expensive agents, models or blueprints',
  input: whichCosts,
})
export const costRuns = reading<CostRun[]>()('GET /w/:slug/cost/runs', {
  says: 'list the 20 most expensive runs of the last 7 days',
})

const timeShape = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * Reads a time as Unix milliseconds: `2026-11-22T14:03Z`, the same with an offset such as `+01:00`, a date (its
 * beginning in UTC), or Unix seconds.
 */
export const time: Reader<number> = reader({ is: 'text', kind: 'identifier', max: 40 }, (value, field) => {
  const at = typeof value === 'string' ? timeIn(value) : Number.NaN
  if (at >= 0) return at
  throw new InputRefused(
    `${field} must be a time such as 2026-11-22T14:03Z, a date, or Unix seconds: got ${shown(value)}.`,
  )
})

function timeIn(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  if (!timeShape.test(text)) return Number.NaN
  // `Date.parse` would read the 30th of February as a day in March.
  const day = text.slice(0, 10)
  const midnight = Date.parse(day)
  return Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day ? Number.NaN : Date.parse(text)
}

/** Reads a whole number from 1 to `max`. */
const wholeNumber = (max: number): Reader<number> =>
  reader({ is: 'text', kind: 'identifier', max: 10 }, (value, field) => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0
    if (number >= 1 && number <= max) return number
    throw new InputRefused(`${field} must be a whole number from 1 to ${max}: got ${shown(value)}.`)
  })

/** The length of the period in milliseconds if the request has no `since`. */
const defaultMs = dayMs

interface PeriodInput {
  since?: number
  until?: number
}

/**
 * The period that an answer covers, in Unix milliseconds; it ends now at the latest. Throws `InputRefused` if it would
 * end before it starts. `field` is the field of the input that holds `since` and `until`, for the message.
 */
export function periodOf(asked: PeriodInput, now: number, field = ''): { since: number; until: number } {
  const until = Math.min(asked.until ?? now, now)
  const since = asked.since ?? until - defaultMs
  if (since <= until) return { since, until }
  const [from, to] = [since, until].map((at) => new Date(at).toISOString())
  const [first, last] = [fieldOf(field, 'since'), fieldOf(field, 'until')]
  throw new InputRefused(`${first} must not be after ${last}, or after now: since is ${from}, the end is ${to}.`)
}

/**
 * The moment that an answer is about, in Unix milliseconds. Throws `InputRefused` if it is in the future. `field` is
 * the field of the input that holds `at`, for the message.
 */
export function momentOf({ at }: { at: number }, now: number, field = ''): number {
  if (at <= now) return at
  throw new InputRefused(`${fieldOf(field, 'at')} must not be in the future: it is ${new Date(at).toISOString()}.`)
}

const between = { since: optional(time), until: optional(time) }
const timeOptions = [
  ['--since <time>', 'from this time on, such as 2026-11-22T14:03Z, 2026-11-22 or Unix seconds; by default a day'],
  ['--until <time>', 'up to this time; by default, and at most, now'],
] as const

export const states = reading<StateSpan[]>()('GET /w/:slug/agents/:name/history/states', {
  says: 'list the times in which an agent reported, was paused, offline or stopped, and its levels',
  input: strictQuery(between),
  large: 'newest',
  command: { name: 'history states', args: [agentArgument], options: [...timeOptions] },
})

export const changes = reading<HistoryChange[]>()('GET /w/:slug/agents/:name/history/changes', {
  says: 'list what changed about an agent: its levels, pauses, times offline, versions, settings, commands and alerts',
  input: strictQuery({ ...between, limit: optional(wholeNumber(listedChanges.max)) }),
  large: 'newest',
  command: {
    name: 'history changes',
    args: [agentArgument],
    options: [
      ...timeOptions,
      ['--limit <n>', `only the newest n changes; by default ${listedChanges.default}, at most ${listedChanges.max}`],
    ],
  },
})

export const fleetAt = reading<PastAgentState[]>()('GET /w/:slug/history/fleet', {
  says: 'list the states that the agents of a workspace had at a time; those without a known state are left out',
  input: strictQuery({ at: time, level: optional(oneOf(levels)) }),
  command: {
    name: 'history fleet',
    args: [slugArgument],
    options: [
      ['--at <time>', 'the time, such as 2026-11-22T14:03Z, 2026-11-22 or Unix seconds'],
      ['--level <level>', `only agents with this level: ${levels.join(', ')}`],
    ],
  },
})

const namedAgent = pasted()
/** The query parameter with the names of agents, with commas between them. */
const manyNames = { names: { is: 'text', kind: 'identifier', max: maxStrips * (limits.agentName + 1) } } as const
/** Reads the names of agents from the parameter `names`. Refuses too many names, and a name that is too long. */
const namesInText: Reader<{ names: string[] }, { names: string }> = reader(
  { is: 'query', fields: manyNames },
  (value) => {
    const { names } = value as { names?: string }
    const all = listIn(names ?? '')
      .filter((name) => name !== '')
      .map((name) => namedAgent(name, 'names'))
    if (all.length === 0 || all.length > maxStrips || all.some((name) => name.length > limits.agentName))
      throw new InputRefused(
        `names must be 1 to ${maxStrips} names of agents with commas between them, each of at most ${limits.agentName} characters.`,
      )
    return { names: [...new Set(all)] }
  },
)

export const strips = reading<StateStrips>()('GET /w/:slug/history/strips', {
  says: `list the states that up to ${maxStrips} agents had in the last 24 hours; names of no agent are left out`,
  input: namesInText,
  command: {
    name: 'history strips',
    args: [slugArgument, ['<names>', 'the names of the agents, with commas between them']],
  },
})

export const trendDays = ['1', '7', '30', '90', '400'] as const
export const trend = reading<AgentTrend>()('GET /w/:slug/agents/:name/history/trend', {
  says: 'show how an agent spent its time, with its runs and costs, over the last days',
  input: strictQuery({ days: optional(oneOf(trendDays)) }),
  command: {
    name: 'history trend',
    args: [agentArgument],
    options: [['--days <n>', `${trendDays.join(', ')}; by default 1`]],
  },
})
