import type { AlertLine, MuteRow } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { byUrgency } from '../../alerts/parts/words.ts'
import { read } from '../../data/queries.ts'
import { lazyPart } from '../../ui/files.tsx'
import { Section } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import { useAgentAlerts } from '../parts/useAgentAlerts.ts'

const AlertList = lazyPart(() => import('./AlertList.tsx'))
const ExpectedHours = lazyPart(() => import('./ExpectedHours.tsx'))

/** The maximum number of ended alerts in the section. */
const endedShown = 3

/**
 * The approximate heights of an alert or a mute in pixels. They keep the room free until the code of the list is
 * loaded.
 */
const lineHeights = { open: 47, ended: 57 } as const

/** The agent's open alerts, as lines at the top of the page; nothing if there are none. */
export function OpenAlerts({ agent }: { agent: Agent }) {
  const { page } = agent
  const { data = [] } = useAgentAlerts(agent)
  const isTitle = ({ label }: AlertLine) => label !== null && label === page.report?.state?.label
  const open = data
    .filter(({ endedAt }) => endedAt === null)
    .toSorted(byUrgency)
    // The title of the page already shows this label.
    .map((alert) => (isTitle(alert) ? { ...alert, label: null } : alert))
  if (open.length === 0) return null
  return (
    <div className="ag-open-alerts">
      <Section title="Open alerts" flush>
        <OpenAlertLines agent={agent} alerts={open} mutes={[]} height={lineHeights.open} />
      </Section>
    </div>
  )
}

/** A section with the agent's last ended alerts, its mutes and its expected hours; nothing if it has none of them. */
export function Alerts({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const { data } = useAgentAlerts(agent)
  const { data: mutes = [], isPending } = useQuery(read('GET /w/:slug/mutes', { slug }))
  const { data: expected } = useQuery(read('GET /w/:slug/agents/:name/hours', { slug, name: page.name }))
  if (!data || isPending) return null
  const ended = data.filter(({ endedAt }) => endedAt !== null).slice(0, endedShown)
  const own = mutes.filter((mute) => mute.agent === page.name)
  const hours = expected?.hours ?? null
  if (ended.length + own.length === 0 && hours === null) return null
  return (
    <Section title="Alerts" flush>
      <OpenAlertLines agent={agent} alerts={ended} mutes={own} height={lineHeights.ended} />
      {hours !== null && (
        <Suspense>
          <ExpectedHours agent={agent} hours={hours} />
        </Suspense>
      )}
    </Section>
  )
}

interface AlertLinesProps {
  agent: Agent
  alerts: readonly AlertLine[]
  mutes: readonly MuteRow[]
  /** The approximate height of a line in pixels. */
  height: number
}

function OpenAlertLines({ agent: { slug, page }, alerts, mutes, height }: AlertLinesProps) {
  const count = alerts.length + mutes.length
  if (count === 0) return null
  return (
    <Suspense fallback={<div style={{ height: count * height }} />}>
      <AlertList slug={slug} alerts={alerts} mutes={mutes} admin={page.canAct} />
    </Suspense>
  )
}
