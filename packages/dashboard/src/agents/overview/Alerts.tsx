import type { AlertLine, MuteRow } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { byUrgency } from '../../alerts/parts/words.ts'
import { read } from '../../data/queries.ts'
import { part } from '../../ui/files.tsx'
import { Section } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'

const AlertList = part(() => import('./AlertList.tsx'))
const ExpectedHours = part(() => import('./ExpectedHours.tsx'))

/** The maximum number of ended alerts in the section about alerts. The history also marks earlier ones. */
const endedShown = 3

/** The heights of an alert or a mute in pixels, about: what is below them stays in place when their code arrives. */
const lineHeights = { first: 47, beside: 57 } as const

interface AlertsProps {
  agent: Agent
  /** Where on the page this section is: `first` has the open alerts, and `beside` what else there is. */
  place: 'first' | 'beside'
}

/**
 * Shows the agent's alerts, mutes and expected hours; nothing if there are none. The open alerts are lines at the top
 * of the page. The last ended ones, mutes and hours are in a section further down.
 */
export function Alerts({ agent, place }: AlertsProps) {
  const { slug, page } = agent
  const { data } = useQuery(read('GET /w/:slug/agents/:name/alerts', { slug, name: page.name }))
  const { data: mutes = [] } = useQuery(read('GET /w/:slug/mutes', { slug }))
  const { data: expected } = useQuery(read('GET /w/:slug/agents/:name/hours', { slug, name: page.name }))
  if (!data) return null
  const lines = (alerts: readonly AlertLine[], own: readonly MuteRow[]) =>
    alerts.length + own.length > 0 && (
      <Suspense fallback={<div style={{ height: (alerts.length + own.length) * lineHeights[place] }} />}>
        <AlertList slug={slug} alerts={alerts} mutes={own} admin={page.canAct} />
      </Suspense>
    )
  if (place === 'first') {
    const isTitle = ({ label }: AlertLine) => label !== null && label === page.report?.state?.label
    const open = data
      .filter(({ endedAt }) => endedAt === null)
      .toSorted(byUrgency)
      // The title of the page says that label.
      .map((alert) => (isTitle(alert) ? { ...alert, label: null } : alert))
    if (open.length === 0) return null
    return (
      <div className="ag-open-alerts">
        <Section title="Open alerts" flush>
          {lines(open, [])}
        </Section>
      </div>
    )
  }
  const ended = data.filter(({ endedAt }) => endedAt !== null).slice(0, endedShown)
  const own = mutes.filter((mute) => mute.agent === page.name)
  const hours = expected?.hours ?? null
  if (ended.length + own.length === 0 && hours === null) return null
  return (
    <Section title="Alerts" flush>
      {lines(ended, own)}
      {hours !== null && (
        <Suspense>
          <ExpectedHours agent={agent} hours={hours} />
        </Suspense>
      )}
    </Section>
  )
}
