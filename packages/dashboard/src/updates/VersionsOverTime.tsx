import { NativeSelect } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../data/queries.ts'
import { StackedBars } from '../ui/charts/StackedBars.tsx'
import { dayName, stack } from '../ui/charts/stack.ts'
import { Section } from '../ui/index.ts'
import { count } from '../ui/time/format.ts'
import { byVersion } from './parts/version-order.ts'
import { columnsOf } from './version-days.ts'

const spans = [30, 90, 400] as const
type VersionDays = (typeof spans)[number]

/** The versions that are shown at first, or those of another time or blueprint. */
export const versionsQuery = (slug: string, days: VersionDays = 30, blueprint?: string) =>
  read('GET /w/:slug/versions', { slug }, { days, ...(blueprint !== undefined && { blueprint }) })

/** The number of agents on each version of a blueprint, by day or week. Nothing while no agent has a blueprint. */
export function VersionsOverTime({ slug }: { slug: string }) {
  const [days, setDays] = useState<VersionDays>(30)
  const [wanted, setWanted] = useState<string>()
  const { data } = useQuery({
    ...versionsQuery(slug, days, wanted),
    placeholderData: keepPreviousData,
  })
  if (!data || data.blueprint === null) return null
  const title = `Versions of ${data.blueprint}`
  return (
    <Section
      title="Versions over time"
      aside={
        <div className="up-choices">
          {data.blueprints.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label="Blueprint"
              data={data.blueprints}
              value={data.blueprint}
              onChange={(event) => setWanted(event.currentTarget.value)}
            />
          )}
          <NativeSelect
            size="xs"
            aria-label="Days"
            data={spans.map((span) => ({ value: String(span), label: `${span} days` }))}
            value={String(days)}
            onChange={(event) => setDays(spans.find((span) => String(span) === event.currentTarget.value) ?? 30)}
          />
        </div>
      }
    >
      <StackedBars
        title={title}
        stack={stack(columnsOf(data, days), { order: byVersion })}
        format={(agents) => count(agents, 'agent')}
        axis={(agents) => agents.toLocaleString('en-US')}
        nameOf={dayName}
        each={days > 90 ? 'week' : 'day'}
        whole
        states
        height={130}
      />
    </Section>
  )
}
