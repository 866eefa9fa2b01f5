import { SegmentedControl } from '@mantine/core'
import type { UsageDay } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { read } from '../../data/queries.ts'
import { StackedBars } from '../../ui/charts/StackedBars.tsx'
import { type Column, dayName, lastDays, stackOf } from '../../ui/charts/stack.ts'
import { dollars, dollarsOfAxis, serviceNow } from '../../ui/index.ts'
import { Section } from '../../ui/parts.tsx'
import { count, figure } from '../../ui/time/format.ts'
import type { Agent } from '../parts/agent.ts'

/** The periods that can be chosen: the number of days in each, and how many of them share a column of the chart. */
const costTimes = { '30': 1, '90': 1, '400': 7 } as const
type CostDays = keyof typeof costTimes

/**
 * Shows the agent's costs of the last 30, 90 or 400 days by model, in columns of a day or a week. If no cost was
 * reported, shows the number of runs; without kept runs, shows nothing.
 */
export function Costs({ agent: { slug, page } }: { agent: Agent }) {
  const [days, setDays] = useState<CostDays>('30')
  const { data } = useQuery({
    ...read('GET /w/:slug/agents/:name/usage', { slug, name: page.name }, { days: Number(days) }),
    enabled: page.runs.kept > 0,
  })
  const today = new Date(serviceNow()).toISOString().slice(0, 10)
  const shown = useMemo(() => {
    const { costs, columns } = usageColumns(data ?? [], lastDays(Date.parse(today), Number(days)))
    return { costs, stack: stackOf(joinedColumns(columns, costTimes[days])) }
  }, [data, today, days])
  if (!data || page.runs.kept === 0) return null
  const runs = data.reduce((sum, day) => sum + day.runs, 0) ?? 0
  const step = costTimes[days] === 1 ? 'day' : 'week'
  return (
    <Section
      title={`${shown.costs ? 'Cost' : 'Runs'}, ${days} days`}
      aside={
        <span className="ag-cost-times">
          {shown.costs && count(runs, 'run')}
          <SegmentedControl
            size="xs"
            data={Object.keys(costTimes).map((value) => ({ value, label: `${value} d` }))}
            value={days}
            onChange={(to) => setDays(to as CostDays)}
            aria-label="How many days"
          />
        </span>
      }
    >
      {shown.stack.total > 0 ? (
        <StackedBars
          title={shown.costs ? `Cost by ${step} and model` : `Runs by ${step}`}
          stack={shown.stack}
          format={shown.costs ? dollars : (runs) => count(runs, 'run')}
          axis={shown.costs ? dollarsOfAxis : figure}
          nameOf={step === 'day' ? dayName : weekName}
          each={step}
          whole={!shown.costs}
        />
      ) : (
        <p className="ag-quiet">No run ended in this time.</p>
      )}
    </Section>
  )
}

/** The name of a column of a week, by its first day. */
const weekName = (key: string): string => `Week from ${dayName(key)}`

/** Joins each `size` neighbouring columns, counted from the end, into one with their sums and the key of the first. */
export function joinedColumns(columns: readonly Column[], size: number): Column[] {
  if (size === 1) return [...columns]
  const joined: Column[] = []
  for (const [i, { key, parts }] of columns.entries()) {
    const isFirst = i === 0 || (columns.length - i) % size === 0
    if (isFirst) joined.push({ key, parts: Object.create(null) })
    const sums = joined.at(-1)?.parts as Record<string, number>
    for (const [name, value] of Object.entries(parts)) sums[name] = (sums[name] ?? 0) + value
  }
  return joined
}

/** The name for the part of a day's cost that belongs to no model. */
const unnamedModelText = 'model not named'

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
  return rest > 0.000_05 ? { ...models, [unnamedModelText]: rest } : { ...models }
}
