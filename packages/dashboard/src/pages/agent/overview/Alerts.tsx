import { useQuery } from '@tanstack/react-query'
import { AlertItem } from '../../../alerts/AlertItem.tsx'
import { MuteLine } from '../../../alerts/MuteLine.tsx'
import { MuteMenu } from '../../../alerts/MuteMenu.tsx'
import { byUrgency } from '../../../alerts/words.ts'
import { agentAlertsQuery, mutesQuery } from '../../../queries.ts'
import { Section } from '../../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'

/** The number of ended alerts in the list. The level history marks all of the last 30 days. */
const endedShown = 3

interface AlertsProps {
  agent: Agent
  /** Open alerts come first on the page. Without any, the list is beside the level history. */
  place: 'first' | 'beside'
}

/** The agent's open alerts, its last ones, and its mutes. */
export function Alerts({ agent: { slug, page }, place }: AlertsProps) {
  const { data } = useQuery(agentAlertsQuery(slug, page.name))
  const { data: mutes = [] } = useQuery(mutesQuery(slug))
  if (!data) return null
  const open = data.filter(({ endedAt }) => endedAt === null).toSorted(byUrgency)
  if ((place === 'first') !== open.length > 0) return null
  const ended = data.filter(({ endedAt }) => endedAt !== null)
  const shown = [...open, ...ended.slice(0, endedShown)]
  const own = mutes.filter(({ agent }) => agent === page.name)
  return (
    <Section title="Alerts" aside={<MuteMenu slug={slug} covered={{ agent: page.name, rule: null }} />} flush>
      {own.length > 0 && (
        <ul className="svc-rows" aria-label="Mutes of this agent">
          {own.map((mute) => (
            <MuteLine key={mute.id} slug={slug} mute={mute} mayLift onItsPage />
          ))}
        </ul>
      )}
      {shown.length === 0 ? (
        <p className="svc-note">No alerts in the last 30 days.</p>
      ) : (
        <ul className="svc-rows" aria-label="Alerts of this agent">
          {shown.map((alert) => (
            <AlertItem key={alert.id} slug={slug} alert={alert} admin={page.canAct} onItsPage />
          ))}
        </ul>
      )}
    </Section>
  )
}
