import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { endedAlertsQuery } from '../data/queries.ts'
import { Empty, Section } from '../ui/index.ts'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { AlertItem } from './AlertItem.tsx'
import type { AlertTabProps } from './parts/props.ts'

/** The alerts of the workspace that have ended, newest first. */
export default function HistoryTab({ slug, admin }: AlertTabProps) {
  const query = useInfiniteQuery(endedAlertsQuery(slug))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.rows)
  if (!rows) return <QueryState of={query} />
  if (rows.length === 0)
    return (
      <Empty icon={IconHistory} title="No alert has ended yet" help="alerts#choose-what-you-hear-about">
        Alerts are kept here for 400 days after they end.
      </Empty>
    )
  return (
    <>
      <Section title="Ended alerts" aside="kept for 400 days" flush>
        <ul className="svc-rows" aria-label="Ended alerts">
          {rows.map((alert) => (
            <AlertItem key={alert.id} slug={slug} alert={alert} admin={admin} />
          ))}
        </ul>
      </Section>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}
