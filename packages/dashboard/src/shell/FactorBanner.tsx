import { Button } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../links.tsx'
import { paths } from '../paths.ts'
import { askForProof } from '../proof/ask.ts'
import { factorsQuery } from '../queries.ts'
import { dateAndTime, serviceNow } from '../ui/index.ts'
import { useWorkspace } from '../workspace.ts'

/** A warning for an admin of a workspace that requires a second factor, or will soon, in a session that showed none. */
export function FactorBanner() {
  const { factor, role } = useWorkspace()
  const isShown = factor.from !== null && factor.missing
  const { data } = useQuery({ ...factorsQuery, enabled: isShown })
  if (!isShown || factor.from === null) return null
  const isDue = role !== 'admin'
  return (
    <div className="svc-banner svc-banner-acts" data-kind="warn" role="note">
      <IconShieldLock size={16} aria-hidden />
      <span>
        {isDue ? (
          'Admins of this workspace need a second factor: until you show one, you have the rights of a member.'
        ) : (
          <>From {dateAndTime(factor.from, serviceNow())} on, admins of this workspace need a second factor.</>
        )}
      </span>
      <div className="svc-banner-buttons">
        {data?.totp ? (
          <Button size="compact-sm" variant="default" onClick={() => void askForProof()}>
            Enter a code
          </Button>
        ) : (
          <ButtonLink to={paths.account} size="compact-sm" variant="default">
            Add a second factor
          </ButtonLink>
        )}
      </div>
    </div>
  )
}
