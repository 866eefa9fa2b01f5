import { IconBellOff } from '@tabler/icons-react'
import { NotifyButtons } from '../alerts/channels/NotifyButtons.tsx'
import { useWorkspace } from '../data/workspace.ts'

/** A warning in a workspace that has agents but no enabled channel, so that nobody receives its alerts. */
export function NotifyBanner({ slug }: { slug: string }) {
  const { agents, alerts } = useWorkspace()
  if (alerts.notified || agents === 0) return null
  return (
    <div className="svc-banner svc-banner-acts" data-kind="warn" role="note">
      <IconBellOff size={16} aria-hidden />
      <span>
        Nobody is notified<span className="svc-not-on-phones"> when an agent goes offline</span>.
      </span>
      <NotifyButtons slug={slug} />
    </div>
  )
}
