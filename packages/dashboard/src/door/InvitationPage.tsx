import { Button, Stack } from '@mantine/core'
import type { EntryInfo, InvitationInfo, Me } from '@svc/api'
import { lookOfEmail } from '@svc/protocol'
import { call, isRefusal, signOut } from '../data/api.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { ErrorNote, Text } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { AccountForm } from './AccountForm.tsx'
import { replacePage } from './address.ts'
import { LinkRefused } from './LinkRefused.tsx'
import { ProviderSignIn } from './ProviderSignIn.tsx'
import { SignIn, type WaysIn } from './SignInPage.tsx'
import { useAnswer } from './useAnswer.ts'

/** The page that accepts an invitation: the person creates an account, or joins with an existing account. */
export function InvitationPage({ id, door }: { id: string; door: EntryInfo }) {
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
      <JoinChoices id={id} info={info.value} me={door.me} ways={door} />
    </DoorShell>
  )
}

interface JoiningProps {
  id: string
  info: InvitationInfo
  me: Me | null
  ways: WaysIn
}

function JoinChoices({ id, info, me, ways }: JoiningProps) {
  const isOwn = me !== null && lookOfEmail(me.email) === lookOfEmail(info.email)
  if (isOwn) return <JoinForm id={id} email={info.email} />
  if (me) return <SignedInAsOther else={me.email} email={info.email} />
  const here = `/invitation/${encodeURIComponent(id)}`
  if (info.hasAccount) return <SignIn next={here} email={info.email} ways={ways} />
  return (
    <Stack gap="sm">
      {!ways.oidc?.only && <NewAccount id={id} email={info.email} />}
      {ways.oidc && <ProviderJoin provider={ways.oidc} email={info.email} here={here} />}
    </Stack>
  )
}

function JoinForm({ id, email }: { id: string; email: string }) {
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

function SignedInAsOther({ else: other, email }: { else: string; email: string }) {
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

interface ProviderJoinProps {
  provider: NonNullable<WaysIn['oidc']>
  email: string
  /** The address of the invitation, to which the browser returns from the provider. */
  here: string
}

/** A link to the provider for somebody without an account, who can accept the invitation after the sign-in. */
const ProviderJoin = ({ provider, email, here }: ProviderJoinProps) => (
  <>
    <div>
      {provider.only ? 'Sign in' : 'Or sign in'} as <Text>{email}</Text>, and then accept the invitation:
    </div>
    <ProviderSignIn provider={provider} next={here} />
  </>
)

function NewAccount({ id, email }: { id: string; email: string }) {
  const join = async (account: { name: string; password: string }) => {
    const { slug } = await call('POST /invitations/:id', { id }, account)
    await replacePage(`/w/${slug}`)
  }
  return <AccountForm email={email} verb="Create account and join" onSubmit={join} />
}
