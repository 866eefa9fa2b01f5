import type { AlertLine, MuteRow } from '@svc/api'
import { AlertItem } from '../../alerts/AlertItem.tsx'
import { MuteLine } from '../../alerts/mutes/MuteLine.tsx'

interface AlertListProps {
  slug: string
  alerts: readonly AlertLine[]
  mutes: readonly MuteRow[]
  admin: boolean
}

/** The mutes and alerts of one agent. The browser loads this code only if there are any. */
export default function AlertList({ slug, alerts, mutes, admin }: AlertListProps) {
  return (
    <>
      {mutes.length > 0 && (
        <ul className="svc-rows" aria-label="Mutes of this agent">
          {mutes.map((mute) => (
            <MuteLine key={mute.id} slug={slug} mute={mute} mayLift onItsPage />
          ))}
        </ul>
      )}
      {alerts.length > 0 && (
        <ul className="svc-rows" aria-label="Alerts of this agent">
          {alerts.map((alert) => (
            <AlertItem key={alert.id} slug={slug} alert={alert} admin={admin} onItsPage />
          ))}
        </ul>
      )}
    </>
  )
}
