import { Button, SegmentedControl } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { endedAlertsQuery, read } from '../data/queries.ts'
import { count, Empty, Section, serviceNow } from '../ui/index.ts'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { AlertItem } from './AlertItem.tsx'
import { AlertFilter, type AlertsShown, useAlertsAddress, useAlertsShown } from './history/AlertFilter.tsx'
import { dayChoices, daysFor, periodMs, periods, shortPeriods, usualDays } from './history/rows.ts'
import { Timeline } from './history/Timeline.tsx'
import type { AlertTabProps } from './parts/props.ts'

const route = getRouteApi('/signed-in/w/$slug/alerts')

/** Shows a timeline of the alerts of the last days above a list of ended alerts, with one filter for both. */
export default function HistoryTab({ slug, admin }: AlertTabProps) {
  const shown = useAlertsShown()
  const past = usePast(slug, shown)
  return (
    <>
      <AlertFilter />
      <PastAlerts slug={slug} shown={shown} query={past} />
      <EndedAlerts slug={slug} admin={admin} shown={shown} isReady={!past.isPending} />
    </>
  )
}

interface PastProps {
  slug: string
  shown: AlertsShown
}

function usePast(slug: string, shown: AlertsShown) {
  const { days = usualDays } = route.useSearch()
  return useQuery(read('GET /w/:slug/alerts/timeline', { slug }, { days, ...shown }))
}

function PastAlerts({ slug, shown, query }: PastProps & { query: ReturnType<typeof usePast> }) {
  const { days: chosen, per = 'rule' } = route.useSearch()
  const show = useAlertsAddress()
  const { data, isPlaceholderData } = query
  const end = serviceNow()
  const days = chosen ?? (data && !data.more ? daysFor(data.rows, end) : usualDays)
  return (
    <Section
      title="Timeline"
      aside={
        <div className="al-time-choices">
          <SegmentedControl
            size="xs"
            aria-label="A row for each"
            value={per}
            data={[
              { value: 'rule', label: 'Rules' },
              { value: 'agent', label: 'Agents' },
            ]}
            onChange={(to) => show({ per: to === 'rule' ? undefined : to })}
          />
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            value={chosen === undefined && !data ? '' : days}
            data={dayChoices.map((value) => ({ value, label: shortPeriods[value] }))}
            onChange={(to) => show({ days: to })}
          />
        </div>
      }
    >
      <QueryState of={query} />
      {data && (
        <div className="svc-late" data-late={isPlaceholderData} aria-busy={isPlaceholderData}>
          {data.rows.length === 0 ? (
            <p className="svc-quiet">
              {isNarrowed(shown) ? 'No such alert' : 'No alert'} was open in the last {periods[days]}.
            </p>
          ) : (
            <Timeline slug={slug} alerts={data.rows} kind={per} start={end - periodMs(days)} end={end} />
          )}
          {data.more && <p className="svc-quiet">Only the newest {count(data.rows.length, 'alert')} are shown.</p>}
        </div>
      )}
    </Section>
  )
}

const isNarrowed = (shown: AlertsShown): boolean => Object.keys(shown).length > 0

/** Lists the ended alerts that are stored, newest first. They may be older than the period of the timeline. */
function EndedAlerts({ slug, admin, shown, isReady }: PastProps & { admin: boolean; isReady: boolean }) {
  const query = useInfiniteQuery(endedAlertsQuery(slug, shown))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } = query
  const rows = data?.pages.flatMap((page) => page.rows)
  // The list waits for the timeline above it, which would otherwise push it down.
  if (!rows || !isReady) return <QueryState of={query} waiting={null} />
  if (rows.length === 0)
    return (
      <Empty
        icon={IconHistory}
        title={isNarrowed(shown) ? 'No such alert has ended' : 'No alert has ended yet'}
        help="alerts#choose-what-you-hear-about"
      >
        Alerts are kept here for 400 days after they end.
      </Empty>
    )
  return (
    <>
      <Section title="Ended alerts" aside="kept for 400 days" flush>
        <div className="svc-late" data-late={isPlaceholderData} aria-busy={isPlaceholderData}>
          <ul className="svc-rows" aria-label="Ended alerts">
            {rows.map((alert) => (
              <AlertItem key={alert.id} slug={slug} alert={alert} admin={admin} />
            ))}
          </ul>
        </div>
      </Section>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}
