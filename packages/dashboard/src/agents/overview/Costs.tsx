import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usageQuery } from '../../data/queries.ts'
import { dayName, lastDays, StackedBars, stack } from '../../ui/charts/index.ts'
import { dollars, serviceNow } from '../../ui/index.ts'
import { Section } from '../../ui/parts.tsx'
import { count, figure } from '../../ui/time/format.ts'
import type { Agent } from '../parts/agent.ts'
import { usageColumns } from './parts/usage.ts'

const days = 30

/**
 * Shows the agent's costs of the last 30 days by day and model. If no cost was reported, shows the number of runs by
 * day; without runs, shows nothing.
 */
export function Costs({ agent: { slug, page } }: { agent: Agent }) {
  const { data } = useQuery({ ...usageQuery(slug, page.name, days), enabled: page.runs.kept > 0 })
  const today = new Date(serviceNow()).toISOString().slice(0, 10)
  const view = useMemo(() => {
    const { costs, columns } = usageColumns(data ?? [], lastDays(Date.parse(today), days))
    return { costs, stack: stack(columns) }
  }, [data, today])
  if (view.stack.total === 0) return null
  const runs = data?.reduce((sum, day) => sum + day.runs, 0) ?? 0
  return (
    <Section title={view.costs ? 'Cost, 30 days' : 'Runs, 30 days'} aside={view.costs && count(runs, 'run')}>
      <StackedBars
        title={view.costs ? 'Cost by day and model' : 'Runs by day'}
        stack={view.stack}
        format={view.costs ? dollars : figure}
        axis={view.costs ? (n) => (Number.isInteger(n) ? `$${figure(n)}` : dollars(n)) : figure}
        nameOf={dayName}
        whole={!view.costs}
      />
    </Section>
  )
}
