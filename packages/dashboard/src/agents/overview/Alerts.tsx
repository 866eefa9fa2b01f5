import type { AlertLine } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { byUrgency } from '../../alerts/parts/words.ts'
import { read } from '../../data/queries.ts'
import { part } from '../../ui/files.tsx'
import { Section } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import { isSaid } from './parts/StateDetail.tsx'

const AlertList = part(() => import('./AlertList.tsx'))
const ExpectedHours = part(() => import('./ExpectedHours.tsx'))

/** The maximum number of ended alerts in the section about alerts. The history also marks earlier ones. */
const endedShown = 3

/** The height of an alert or a mute in pixels, about: what is below them stays in place when their code arrives. */
const lineHeight = 57

interface AlertsProps {
  agent: Agent
  /** Where on the page this section is: `first` if the agent has open alerts, otherwise `beside` the history. */
  place: 'first' | 'beside'
}

/**
 * Shows the agent's open alerts, its last ended alerts, its mutes and its expected hours; nothing if there are none.
 * The page has this section at two places, and the section shows nothing at the place where it does not belong.
 */
export function Alerts({ agent, place }: AlertsProps) {
  const { slug, page } = agent
  const { data } = useQuery(read('GET /w/:slug/agents/:name/alerts', { slug, name: page.name }))
  const { data: mutes = [] } = useQuery(read('GET /w/:slug/mutes', { slug }))
  const { data: expected } = useQuery(read('GET /w/:slug/agents/:name/hours', { slug, name: page.name }))
  if (!data) return null
  const open = data.filter(({ endedAt }) => endedAt === null).toSorted(byUrgency)
  if ((place === 'first') !== open.length > 0) return null
  const ended = data.filter(({ endedAt }) => endedAt !== null)
  const isNow = ({ endedAt, label }: AlertLine) => endedAt === null && label !== null && isSaid(agent, label)
  const shown = [...open, ...ended.slice(0, endedShown)].map((alert) =>
    isNow(alert) ? { ...alert, label: null } : alert,
  )
  const own = mutes.filter((mute) => mute.agent === page.name)
  const hours = expected?.hours ?? null
  if (shown.length + own.length === 0 && hours === null) return null
  return (
    <Section title="Alerts" flush>
      {shown.length + own.length > 0 && (
        <Suspense fallback={<div style={{ height: (shown.length + own.length) * lineHeight }} />}>
          <AlertList slug={slug} alerts={shown} mutes={own} admin={page.canAct} />
        </Suspense>
      )}
      {hours !== null && (
        <Suspense>
          <ExpectedHours agent={agent} hours={hours} />
        </Suspense>
      )}
    </Section>
  )
}
