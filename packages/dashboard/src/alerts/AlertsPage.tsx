/**
 * The page of the alerts of a workspace: a tab each for open alerts, ended alerts, rules, channels, deliveries (only
 * for admins), and the channels of the signed-in person.
 */
import './alerts-page.css'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, lazy } from 'react'
import { read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import type { AlertTab } from '../paths.ts'
import { fileOf } from '../ui/files.tsx'
import { count, Empty, ErrorNote, PageHeader, PageTabs, Section, useDocumentTitle } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { Mutes } from './mutes/Mutes.tsx'
import { OpenAlerts } from './OpenAlerts.tsx'
import type { AlertTabProps } from './parts/props.ts'

const tabs: Readonly<Record<AlertTab, { name: string; panel: ComponentType<AlertTabProps>; admins?: true }>> = {
  open: { name: 'Open', panel: OpenTab },
  history: { name: 'History', panel: lazy(() => fileOf(import('./HistoryTab.tsx'))) },
  rules: { name: 'Rules', panel: lazy(() => fileOf(import('./rules/RulesTab.tsx'))) },
  channels: { name: 'Channels', panel: lazy(() => fileOf(import('./channels/ChannelsTab.tsx'))) },
  deliveries: { name: 'Deliveries', panel: lazy(() => fileOf(import('./DeliveriesTab.tsx'))), admins: true },
  mine: { name: 'For me', panel: lazy(() => fileOf(import('./channels/MineTab.tsx'))) },
}

const route = getRouteApi('/signed-in/w/$slug/alerts')

export function AlertsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const admin = role === 'admin'
  const { tab: wanted = 'open' } = route.useSearch()
  const navigate = route.useNavigate()
  const shown = (Object.keys(tabs) as AlertTab[]).filter((each) => admin || !tabs[each].admins)
  const tab = shown.includes(wanted) ? wanted : 'open'
  const Panel = tabs[tab].panel
  useDocumentTitle('Alerts', name)
  return (
    <>
      <PageHeader title="Alerts" note="What needs somebody’s attention, and who is notified." />
      <PageTabs
        tabs={shown.map((each) => [each, tabs[each].name])}
        open={tab}
        onOpen={(to) => void navigate({ search: to === 'open' ? {} : { tab: to } })}
      >
        <div className="svc-column al-page">
          <Panel slug={slug} admin={admin} />
        </div>
      </PageTabs>
    </>
  )
}

/** The open alerts of the workspace, and its mutes that have not ended. */
function OpenTab({ slug, admin }: AlertTabProps) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/alerts/lines', { slug }))
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
