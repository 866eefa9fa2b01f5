/** The door: the pages that work without a session, such as sign-in, first start, links and invitations. */

import { Button, Stack } from '@mantine/core'
import type { EntryInfo } from '@svc/api'
import { call } from '../data/api.ts'
import { operatorCommand } from '../data/operator-command.ts'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { ErrorNote } from '../ui/index.ts'
import type { DrawPage } from '../ui/pages/Page.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { CopyLines } from '../ui/values/CopyLines.tsx'
import { replacePage, useAddress } from './address.ts'
import { InvitationPage } from './InvitationPage.tsx'
import { DoorButton } from './links.tsx'
import { ClaimPage, ForgotPage } from './PasswordPages.tsx'
import { doorPageAt, entryWithoutAnswer, safeNext } from './place.ts'
import { SignInPage } from './SignInPage.tsx'
import { StartPage } from './StartPage.tsx'
import { useAnswer } from './useAnswer.ts'

/** Draws the pages of the door without the code of the other pages. Going back to another page reloads the document. */
export function openDoor(door: EntryInfo, show: DrawPage): void {
  window.addEventListener('popstate', () => {
    if (!doorPageAt(location.pathname)) location.reload()
  })
  show(<DoorPages door={door} />)
}

/** Draws the page that says that the service gave no answer, or that the code of the page could not be loaded. */
export const showFailedPage = (error: unknown, show: DrawPage): void => show(<FailedPage error={error} />)

/** The door after a session has ended, within the router of the other pages. It requests `GET /door` again. */
export function Door() {
  const answer = useAnswer('door', (signal) => call('GET /door', signal))
  if (answer.is === 'waiting') return <WaitingPage />
  if (answer.is === 'there') return <DoorPages door={answer.value} />
  const assumed = entryWithoutAnswer(answer.error, location.pathname)
  return assumed ? <DoorPages door={assumed} /> : <FailedPage error={answer.error} />
}

function DoorPages({ door }: { door: EntryInfo }) {
  const address = new URL(useAddress(), location.origin)
  const at = doorPageAt(address.pathname)
  const token = address.searchParams.get('token') ?? ''
  if (door.first && (!at || at.page === 'signIn' || at.page === 'forgot')) return <FirstPage />
  if (!at) return <WaitingPage />
  if (at.page === 'invitation') return <InvitationPage id={at.id} door={door} />
  if (at.page === 'signIn')
    return (
      <SignInPage
        next={safeNext(address.searchParams.get('next') ?? undefined)}
        ways={door}
        failure={address.searchParams.get('oidc')}
      />
    )
  if (at.page === 'start') return <StartPage token={token} {...door} />
  if (at.page === 'link') return <LinkPage token={token} />
  // People who sign in only through the provider have no password that they could forget or choose.
  if (door.oidc?.only) return <NoPasswords provider={door.oidc.name} />
  if (at.page === 'claim') return <ClaimPage token={token} />
  return <ForgotPage mail={door.mail} />
}

/** The page that replaces those for choosing a password if people sign in only through the provider. */
const NoPasswords = ({ provider }: { provider: string }) => (
  <DoorShell title="No password is needed" note={`People sign in to this service with ${provider}.`}>
    <DoorButton to={paths.signIn} variant="default" fullWidth>
      Sign in
    </DoorButton>
  </DoorShell>
)

/** The page to show if the service gave no answer, or if the code of the page could not be loaded. */
const FailedPage = ({ error }: { error: unknown }) => (
  <DoorShell title="This page could not be loaded">
    <ErrorNote error={error} retry={() => location.reload()} />
  </DoorShell>
)

/** The page that replaces the sign-in while nobody has an account. */
const FirstPage = () => (
  <DoorShell title="Welcome" note="Nobody has an account yet. Open the link that the service printed in its terminal.">
    <p className="svc-door-hint">Lost the link? On the machine of the service, this prints a new one:</p>
    <CopyLines text={`${operatorCommand} link --first`} label="command" />
  </DoorShell>
)

/**
 * The page that signs a person in with a one-time link. The person must press a button, so that programs that only open
 * the address do not use up the link.
 */
function LinkPage({ token }: { token: string }) {
  const { busy, error, submit } = useChange(async () => {
    await call('POST /link', { token })
    await replacePage(paths.home)
  })
  return (
    <DoorShell title="Sign in with this link" note="The link works once and signs you in in this browser.">
      <Stack gap="sm">
        {error !== null && <ErrorNote error={error} />}
        {error === null ? (
          <Button onClick={() => submit()} loading={busy} fullWidth autoFocus>
            Sign in
          </Button>
        ) : (
          <DoorButton to={paths.signIn} variant="default" fullWidth>
            Sign in another way
          </DoorButton>
        )}
      </Stack>
    </DoorShell>
  )
}
