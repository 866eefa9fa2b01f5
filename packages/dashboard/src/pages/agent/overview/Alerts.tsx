import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Agent } from '../../../agents/parts/agent.ts'
import { byUrgency } from '../../../alerts/words.ts'
import { agentAlertsQuery, mutesQuery } from '../../../queries.ts'
import { Section } from '../../../ui/parts.tsx'
import { ExpectedHours } from './ExpectedHours.tsx'

const AlertList = lazy(() => import('./AlertList.tsx'))
const loadMenu = () => import('../../../alerts/MuteMenu.tsx')
const MuteMenu = lazy(async () => ({ default: (await loadMenu()).MuteMenu }))

/** The maximum number of ended alerts in the section about alerts. The level history also marks earlier ones. */
const endedShown = 3

interface AlertsProps {
  agent: Agent
  /** Where on the page this section is: `first` if the agent has open alerts, otherwise `beside` the level history. */
  place: 'first' | 'beside'
}

/**
 * Shows the agent's open alerts, its last ended alerts, its mutes and its expected hours. The page has this section at
 * two places, and the section shows nothing at the place where it does not belong.
 */
export function Alerts({ agent, place }: AlertsProps) {
  const { slug, page } = agent
  const { data } = useQuery(agentAlertsQuery(slug, page.name))
  const { data: mutes = [] } = useQuery(mutesQuery(slug))
  if (!data) return null
  const open = data.filter(({ endedAt }) => endedAt === null).toSorted(byUrgency)
  if ((place === 'first') !== open.length > 0) return null
  const ended = data.filter(({ endedAt }) => endedAt !== null)
  const shown = [...open, ...ended.slice(0, endedShown)]
  const own = mutes.filter((mute) => mute.agent === page.name)
  return (
    <Section title="Alerts" aside={<Mute slug={slug} name={page.name} />} flush>
      {shown.length === 0 && <p className="svc-note">No alerts in the last 30 days.</p>}
      {shown.length + own.length > 0 && (
        <Suspense>
          <AlertList slug={slug} alerts={shown} mutes={own} admin={page.canAct} />
        </Suspense>
      )}
      <ExpectedHours agent={agent} />
    </Section>
  )
}

/**
 * A button that opens the menu to mute the agent. The browser loads the code of the menu when the pointer or the focus
 * reaches the button.
 */
function Mute({ slug, name }: { slug: string; name: string }) {
  const [pressed, setPressed] = useState(false)
  const face = (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Mute ${name}`}
      aria-haspopup="menu"
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setPressed(true)}
    >
      Mute
    </Button>
  )
  if (!pressed) return face
  return (
    <Suspense fallback={face}>
      <MuteMenu slug={slug} covered={{ agent: name, rule: null }} defaultOpened />
    </Suspense>
  )
}
