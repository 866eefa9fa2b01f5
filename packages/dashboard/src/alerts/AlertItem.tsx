import type { AlertLine } from '@svc/api'
import { agentNamesText } from '@svc/api/words'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { Level, lastingText, Text, Time } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { DottedParts } from '../ui/parts.tsx'
import { Acknowledge } from './Acknowledge.tsx'
import { MuteMenu } from './mutes/MuteMenu.tsx'
import { muteCoverOf, statementOf } from './parts/words.ts'
import './alerts.css'

interface AlertItemProps {
  slug: string
  alert: AlertLine
  admin: boolean
  /** True if the list of alerts is on the page of the agent that this alert is about. */
  onItsPage?: boolean
  /** True if the line is indented below the alert about the rollout that caused this alert. */
  inside?: boolean
  /** The checkbox that selects the alert. */
  select?: ReactNode
}

/** One alert in a list: what it is about, since when, who acknowledged it, and the buttons while it is open. */
export function AlertItem({ slug, alert, admin, onItsPage = false, inside = false, select }: AlertItemProps) {
  const isOpen = alert.endedAt === null
  const item = alert.subject.item ?? null
  const covered = muteCoverOf(alert)
  return (
    <li className="al-item al-alert" data-quiet={!isOpen || alert.acknowledged !== null} data-inside={inside}>
      {select}
      <span className="al-level">
        <Level level={alert.level} />
      </span>
      <div className="al-words">
        <div>
          {!onItsPage && alert.agents === null && (
            <>
              <Subject slug={slug} alert={alert} />{' '}
            </>
          )}
          <Text>{statementOf(alert)}</Text>
        </div>
        {alert.agents && (
          <div className="svc-quiet">
            <Text>{agentNamesText(alert.agents.names)}</Text>
          </div>
        )}
        <div className="svc-quiet">
          <DottedParts parts={isOpen ? openParts(alert) : endedParts(alert)} />
        </div>
        {alert.acknowledged?.note && (
          <p className="al-note">
            <Text>{alert.acknowledged.note}</Text>
          </p>
        )}
      </div>
      {isOpen && (
        <div className="al-acts">
          {alert.acknowledged === null && <Acknowledge slug={slug} alerts={[alert]} />}
          {!(onItsPage && item === null) && !alert.muted && (admin || covered.agent !== null) && (
            <MuteMenu slug={slug} covered={covered} />
          )}
        </div>
      )}
    </li>
  )
}

const openParts = ({ since, state, muted, acknowledged }: AlertLine): ReactNode[] => [
  <>
    began <Time at={since} />
  </>,
  state === 'closing' && 'recovered, and ends soon if it stays so',
  state === 'unsteady' && 'opens and ends again and again',
  muted && 'muted',
  acknowledged && (
    <>
      acknowledged by <Text>{acknowledged.by}</Text>, <Time at={acknowledged.at} />
    </>
  ),
]

const endedParts = ({ since, endedAt, acknowledged }: AlertLine): ReactNode[] => [
  <>
    began <Time at={since} />
  </>,
  endedAt !== null && `lasted ${lastingText(endedAt - since)}`,
  acknowledged && (
    <>
      acknowledged by <Text>{acknowledged.by}</Text>
    </>
  ),
]

function Subject({ slug, alert: { subject, agent, rollout } }: { slug: string; alert: AlertLine }) {
  if (agent !== null)
    return (
      <AnchorLink to={paths.agent} params={{ slug, name: agent }} fw={600}>
        <Text>{agent}</Text>
      </AnchorLink>
    )
  if (rollout !== null)
    return (
      <AnchorLink to={paths.rollout} params={{ slug, id: rollout }} fw={600}>
        <Text>{subject.name.replace('@', ' ')}</Text>
      </AnchorLink>
    )
  if (subject.kind === 'workspace') return <strong>The workspace</strong>
  return (
    <strong>
      <Text>{subject.name}</Text>
    </strong>
  )
}
