import { Button } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { canShowPasskey } from '../data/passkeys.ts'
import { providerAddress } from '../data/provider.ts'
import { read } from '../data/queries.ts'
import { useWorkspace } from '../data/workspace.ts'
import { paths, secondFactorPart } from '../paths.ts'
import { dateAndTime, focusMain, serviceNow, useClock } from '../ui/index.ts'
import { ButtonLink } from '../ui/links.tsx'
import { askForProof } from './proof/ProofGate.tsx'

/**
 * A warning for an admin whose session has shown no second factor, in a workspace that requires one from the time
 * `from`, which may be in the future.
 */
export default function FactorBanner({ from }: { from: number }) {
  const { role } = useWorkspace()
  const { data } = useQuery(read('GET /factors'))
  const hasBegun = useClock((now) => now >= from)
  const has = data && (data.totp || canShowPasskey(data))
  const isDue = hasBegun || role !== 'admin'
  return (
    <div className="svc-banner svc-banner-acts" data-kind="warn" role="note">
      <IconShieldLock size={16} aria-hidden />
      <span>
        {isDue ? (
          <>
            Until you show a second factor, you have the rights of a member.
            <span className="svc-not-on-phones"> Admins of this workspace need one.</span>
          </>
        ) : (
          <>
            From {dateAndTime(from, serviceNow())} on, admins
            <span className="svc-not-on-phones"> of this workspace</span> need a second factor.
          </>
        )}
      </span>
      <div className="svc-banner-buttons">
        {data && has && (
          <Button size="compact-sm" variant="default" onClick={() => void showFactor()}>
            {data.totp ? 'Enter a code' : 'Use a passkey'}
          </Button>
        )}
        {data?.oidc && !has && (
          <Button
            component="a"
            href={providerAddress(`${location.pathname}${location.search}`)}
            size="compact-sm"
            variant="default"
            className="svc-wrapped-button"
          >
            Sign in with {data.oidc.name}
          </Button>
        )}
        {data && !has && !data.oidc && (
          <ButtonLink to={paths.account} hash={secondFactorPart} size="compact-sm" variant="default">
            Add a second factor
          </ButtonLink>
        )}
      </div>
    </div>
  )
}

/** Asks for a factor. If it is right, the banner disappears, so the focus moves to the page. */
async function showFactor(): Promise<void> {
  if (await askForProof()) focusMain()
}
