import { getRouteApi } from '@tanstack/react-router'
import { api } from '../api.ts'
import { paths } from '../paths.ts'
import { useArrive } from '../session.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { AccountForm } from './AccountForm.tsx'
import { LinkRefused } from './LinkRefused.tsx'
import { useOneTimeLink } from './useOneTimeLink.ts'
import { WaitingPage } from './WaitingPage.tsx'

const route = getRouteApi('/claim')

/**
 * The page of a link with which the operator hands an account to the owner of its e-mail address, or which was mailed
 * to a person who forgot their password.
 */
export function ClaimPage() {
  const { token = '' } = route.useSearch()
  const arrive = useArrive()
  const info = useOneTimeLink('claim', token, api.claimInfo)
  if (info.isPending) return <WaitingPage />
  if (info.isError)
    return (
      <LinkRefused title="This link can’t be used" error={info.error}>
        It works once and for a short time. Ask for a new link, or ask the operator of this service.
      </LinkRefused>
    )
  const { email, name, forgot } = info.data
  return (
    <DoorShell
      title={forgot ? 'Choose a new password' : 'Take over your account'}
      note={
        forgot
          ? 'Your other sessions are signed out.'
          : 'An account with your email address exists. Choose a name and a password for it. Its other sessions are signed out.'
      }
    >
      <AccountForm
        email={email}
        name={forgot ? name : ''}
        verb={forgot ? 'Save password' : 'Take over account'}
        onSubmit={async (account) => {
          await api.claim({ token, ...account })
          await arrive(paths.home)
        }}
      />
    </DoorShell>
  )
}
