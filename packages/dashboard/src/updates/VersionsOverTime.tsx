import { NativeSelect } from '@mantine/core'
import type { VersionDays } from '@svc/api'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../data/queries.ts'
import { StackedBars } from '../ui/charts/StackedBars.tsx'
import { type Column, dayName, lastDays, stackOf } from '../ui/charts/stack.ts'
import { Section } from '../ui/index.ts'
import { count } from '../ui/time/format.ts'
import { byVersion } from './parts/version-order.ts'

const spans = [30, 90, 400] as const
type ShownDays = (typeof spans)[number]

/** The query for the number of agents on each version. Without `blueprint`, the service chooses the most used one. */
export const versionsQuery = (slug: string, days: ShownDays = 30, blueprint?: string) =>
  read('GET /w/:slug/versions', { slug }, { days, ...(blueprint !== undefined && { blueprint }) })

/** The number of agents on each version of a blueprint, by day or week. Nothing while no agent has a blueprint. */
export function VersionsOverTime({ slug }: { slug: string }) {
  const [days, setDays] = useState<ShownDays>(30)
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
        stack={stackOf(versionColumnsOf(data, days), { order: byVersion })}
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

/** The name of the series that the service sends without a name, with the agents of all rare versions. */
const otherVersionsName = 'rare versions'

const dayMs = 86_400_000

/**
 * One column for each of the last days, or for each week if `days` is more than 90. A week has the figures of its last
 * day that was counted. A column without a count is empty.
 */
export function versionColumnsOf({ now, days: counted }: Pick<VersionDays, 'now' | 'days'>, days: number): Column[] {
  const byDate = new Map(counted.map(({ date, agents }) => [date, agents]))
  const dates = lastDays(now, days)
  if (days <= 90) return dates.map((date) => ({ key: date, parts: partsOf(byDate.get(date)) }))
  const weeks = Map.groupBy(dates, mondayOf)
  return [...weeks].map(([monday, inWeek]) => {
    const last = inWeek.findLast((date) => byDate.has(date))
    return { key: monday, parts: partsOf(last === undefined ? undefined : byDate.get(last)) }
  })
}

const partsOf = (agents: Record<string, number> = {}): Record<string, number> =>
  Object.fromEntries(
    Object.entries(agents).map(([version, count]) => [version === '' ? otherVersionsName : version, count]),
  )

/** The Monday (UTC) of the week of a date. */
function mondayOf(date: string): string {
  const at = Date.parse(`${date}T00:00:00Z`)
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10)
}
