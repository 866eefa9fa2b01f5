import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { openAlertsQuery } from '../data/queries.ts'
import { count, Empty, ErrorNote, Section } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { Mutes } from './mutes/Mutes.tsx'
import { OpenAlerts } from './OpenAlerts.tsx'
import type { AlertTabProps } from './parts/props.ts'

/** The open alerts of the workspace, and its mutes that have not ended. */
export function OpenTab({ slug, admin }: AlertTabProps) {
  const { data, error, refetch } = useQuery(openAlertsQuery(slug))
  return (
    <>
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <WaitingPage />}
      {data &&
        (data.rows.length === 0 ? (
          <Empty icon={IconBell} title="No open alerts" help="alerts#choose-what-you-hear-about">
            An alert opens when a rule holds, such as an agent that is offline for ten minutes.
          </Empty>
        ) : (
          <Section
            title="Open alerts"
            aside={data.more ? `the newest ${data.rows.length}` : count(data.rows.length, 'alert')}
            flush
          >
            <OpenAlerts slug={slug} admin={admin} rows={data.rows} />
          </Section>
        ))}
      <Mutes slug={slug} admin={admin} />
    </>
  )
}
