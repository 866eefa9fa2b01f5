import { useNetwork } from '@mantine/hooks'
import { IconBellOff, IconCloudOff, IconLock, IconRefresh } from '@tabler/icons-react'
import { Suspense, useEffect, useState } from 'react'
import { NotifyButtons } from '../alerts/channels/NotifyButtons.tsx'
import type { LiveState } from '../data/live/useLive.ts'
import { operatorCommand } from '../data/operator-command.ts'
import { useWorkspace } from '../data/workspace.ts'
import { lazyPart } from '../ui/files.tsx'

const FactorBanner = lazyPart(() => import('./FactorBanner.tsx'))

/** Shows warnings about the connection and the workspace, such as a workspace that is not activated. */
export function Banners({ slug, live }: { slug: string; live: LiveState }) {
  const { online } = useNetwork()
  const { activated, factor } = useWorkspace()
  const lost = useSettled(live === 'lost', 1500)
  return (
    <>
      {!activated && (
        <div className="svc-banner" data-kind="warn">
          <IconLock size={16} aria-hidden />
          <div>
            <strong>This workspace is not activated.</strong> Reports from its agents are refused until the operator of
            this service runs{' '}
            <code>
              {operatorCommand} workspace activate {slug} svc
            </code>
            .
          </div>
        </div>
      )}
      {factor.from !== null && factor.missing && (
        <Suspense>
          <FactorBanner from={factor.from} />
        </Suspense>
      )}
      <NotifyBanner slug={slug} />
      <div role="status" className="svc-float">
        {!online ? (
          <span className="svc-pill">
            <IconCloudOff size={15} aria-hidden /> Offline: the page may be out of date
          </span>
        ) : (
          lost && (
            <span className="svc-pill">
              <IconRefresh size={15} aria-hidden /> Reconnecting… the page may be out of date
            </span>
          )
        )}
      </div>
    </>
  )
}

/**
 * Returns true while `value` has been true for at least `ms` milliseconds, so that short interruptions are not shown.
 */
function useSettled(value: boolean, ms: number): boolean {
  const [settled, setSettled] = useState(false)
  useEffect(() => {
    if (!value) {
      setSettled(false)
      return
    }
    const timer = setTimeout(() => setSettled(true), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/** A warning in a workspace that has agents but no enabled channel, so that nobody receives its alerts. */
function NotifyBanner({ slug }: { slug: string }) {
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
