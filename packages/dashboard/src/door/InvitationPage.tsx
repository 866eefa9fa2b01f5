import { Button, Stack } from '@mantine/core'
import type { EntryInfo, InvitationInfo } from '@svc/api'
import { lookOfEmail } from '@svc/protocol'
import { call, isRefusal, signOut } from '../data/api.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { ErrorNote, Text } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { AccountForm } from './AccountForm.tsx'
import { replacePage } from './address.ts'
import { LinkRefused } from './LinkRefused.tsx'
import { SignInForm } from './SignInPage.tsx'
import { useAnswer } from './useAnswer.ts'

/** The page that accepts an invitation: the person creates an account, or joins with an existing account. */
export function InvitationPage({ id, me, passkeys }: { id: string } & Pick<EntryInfo, 'me' | 'passkeys'>) {
  const info = useAnswer(id, (signal) => call('GET /invitations/:id', { id }, signal))
  if (info.is === 'waiting') return <WaitingPage />
  if (info.is === 'refused')
    return (
      <LinkRefused title="This invitation can’t be used" error={info.error}>
        It may have been used or revoked, or it may be older than seven days. Ask for a new one.
      </LinkRefused>
    )
  const { workspace, invitedBy, role } = info.value
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
      <Joining id={id} info={info.value} me={me} passkeys={passkeys} />
    </DoorShell>
  )
}

interface JoiningProps extends Pick<EntryInfo, 'me' | 'passkeys'> {
  id: string
  info: InvitationInfo
}

function Joining({ id, info, me, passkeys }: JoiningProps) {
  const isOwn = me !== null && lookOfEmail(me.email) === lookOfEmail(info.email)
  if (isOwn) return <Join id={id} email={info.email} />
  if (me) return <Someone else={me.email} email={info.email} />
  if (info.hasAccount) return <SignInForm next={`/invitation/${id}`} email={info.email} passkeys={passkeys} />
  return <NewAccount id={id} email={info.email} />
}

function Join({ id, email }: { id: string; email: string }) {
  const { busy, error, submit } = useChange(async () => {
    const { slug } = await call('POST /invitations/:id', { id }, {})
    await replacePage(`/w/${slug}`)
  })
  return (
    <Stack gap="sm">
      {error !== null && <ErrorNote error={error} />}
      <Button onClick={() => submit()} loading={busy} fullWidth>
        Join as {email}
      </Button>
    </Stack>
  )
}

function Someone({ else: other, email }: { else: string; email: string }) {
  const { busy, error, submit } = useChange(async () => {
    await signOut().catch((cause) => {
      if (!isRefusal(cause, 401)) throw cause
    })
    await replacePage(location.href)
  })
  return (
    <Stack gap="sm">
      {error !== null && <ErrorNote error={error} />}
      <div>
        You are signed in as <Text>{other}</Text>, but the invitation is for <Text>{email}</Text>. Sign out to accept
        it.
      </div>
      <Button variant="default" onClick={() => submit()} loading={busy}>
        Sign out
      </Button>
    </Stack>
  )
}

function NewAccount({ id, email }: { id: string; email: string }) {
  const join = async (account: { name: string; password: string }) => {
    const { slug } = await call('POST /invitations/:id', { id }, account)
    await replacePage(`/w/${slug}`)
  }
  return <AccountForm email={email} verb="Create account and join" onSubmit={join} />
}
