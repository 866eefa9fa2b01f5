import { Button, Stack } from '@mantine/core'
import type { InvitationInfo, Me } from '@svc/api'
import { lookOfEmail } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useSubmit } from '../forms/useSubmit.ts'
import { keys } from '../queries.ts'
import { useArrive, useSignOut } from '../session.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { ErrorNote, Text } from '../ui/index.ts'
import { AccountForm } from './AccountForm.tsx'
import { LinkRefused } from './LinkRefused.tsx'
import { SignInForm } from './SignInPage.tsx'
import { useOneTimeLink } from './useOneTimeLink.ts'
import { WaitingPage } from './WaitingPage.tsx'

const route = getRouteApi('/invitation/$id')

/** The page that accepts an invitation: the person creates an account, or joins with an existing account. */
export function InvitationPage() {
  const { id } = route.useParams()
  const info = useOneTimeLink('invitation', id, api.invitation)
  const me = useQuery({ queryKey: [...keys.me, 'here'], queryFn: ({ signal }) => api.me(signal).catch(() => null) })
  if (info.isPending || me.isPending) return <WaitingPage />
  if (info.isError)
    return (
      <LinkRefused title="This invitation can’t be used" error={info.error}>
        It may have been used or revoked, or it may be older than seven days. Ask for a new one.
      </LinkRefused>
    )
  const { workspace, invitedBy, role } = info.data
  return (
    <DoorShell
      title={`Join ${workspace}`}
      note={
        <>
          <Text>{invitedBy}</Text> invites you as {role === 'admin' ? 'an admin' : 'a member'}.{' '}
          {role === 'admin'
            ? 'Admins can also send commands and manage agents, logs and people.'
            : 'Members can view everything except logs.'}
        </>
      }
    >
      <Joining id={id} info={info.data} me={me.data ?? null} />
    </DoorShell>
  )
}

function Joining({ id, info, me }: { id: string; info: InvitationInfo; me: Me | null }) {
  const mine = me !== null && lookOfEmail(me.email) === lookOfEmail(info.email)
  if (mine) return <Join id={id} email={info.email} />
  if (me) return <Someone else={me.email} email={info.email} />
  if (info.hasAccount) return <SignInForm next={`/invitation/${id}`} email={info.email} />
  return <NewAccount id={id} email={info.email} />
}

function Join({ id, email }: { id: string; email: string }) {
  const arrive = useArrive()
  const { busy, error, submit } = useSubmit(async () => {
    const { slug } = await api.accept(id, {})
    await arrive(`/w/${slug}`)
  })
  return (
    <Stack gap="sm">
      {error !== null && <ErrorNote error={error} />}
      <Button onClick={submit} loading={busy} fullWidth>
        Join as {email}
      </Button>
    </Stack>
  )
}

function Someone({ else: other, email }: { else: string; email: string }) {
  const signOut = useSignOut()
  return (
    <Stack gap="sm">
      <div>
        You are signed in as <Text>{other}</Text>, but the invitation is for <Text>{email}</Text>. Sign out, then open
        the link again.
      </div>
      <Button variant="default" onClick={() => void signOut()}>
        Sign out
      </Button>
    </Stack>
  )
}

function NewAccount({ id, email }: { id: string; email: string }) {
  const arrive = useArrive()
  const join = async (account: { name: string; password: string }) => {
    const { slug } = await api.accept(id, account)
    await arrive(`/w/${slug}`)
  }
  return <AccountForm email={email} verb="Create account and join" onSubmit={join} />
}
