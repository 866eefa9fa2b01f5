import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../api.ts'
import { paths } from '../paths.ts'
import { useArrive } from '../session.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { AccountForm } from './AccountForm.tsx'
import { LinkRefused } from './LinkRefused.tsx'
import { WaitingPage } from './WaitingPage.tsx'

const route = getRouteApi('/claim')

/** Opens a link with which the operator hands an account to the owner of its email address. */
export function ClaimPage() {
  const { token = '' } = route.useSearch()
  const arrive = useArrive()
  const info = useQuery({
    queryKey: ['claim', token],
    queryFn: ({ signal }) => api.claimInfo(token, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { once: true },
  })
  if (info.isPending) return <WaitingPage />
  if (info.isError)
    return (
      <LinkRefused title="This link can’t be used" error={info.error}>
        It works once, and for one day. Ask the operator of this service for a new one.
      </LinkRefused>
    )
  return (
    <DoorShell
      title="Take over your account"
      note="An account with your email address exists. Choose a name and a password for it. Its other sessions are signed out."
    >
      <AccountForm
        email={info.data.email}
        verb="Take over account"
        onSubmit={async (account) => {
          await api.claim({ token, ...account })
          await arrive(paths.home)
        }}
      />
    </DoorShell>
  )
}
