/** The pages that work without a session: sign-in, first start, links and invitations. */
import type { Door as DoorAnswer } from '@svc/api'
import { api } from '../data/api.ts'
import type { Show } from '../ui/pages/Page.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { useAddress } from './address.ts'
import { ClaimPage } from './ClaimPage.tsx'
import { FailedPage } from './FailedPage.tsx'
import { FirstPage } from './FirstPage.tsx'
import { ForgotPage } from './ForgotPage.tsx'
import { InvitationPage } from './InvitationPage.tsx'
import { LinkPage } from './LinkPage.tsx'
import { doorAt, doorWithout, safeNext } from './place.ts'
import { SignInPage } from './SignInPage.tsx'
import { StartPage } from './StartPage.tsx'
import { useAnswer } from './useAnswer.ts'

/** Opens the door in a page that has loaded nothing else. */
export function openDoor(door: DoorAnswer, show: Show): void {
  window.addEventListener('popstate', () => {
    if (!doorAt(location.pathname)) location.reload()
  })
  show(<DoorPages door={door} />)
}

export const openFailed = (error: unknown, show: Show): void => show(<FailedPage error={error} />)

/** The door inside the other pages, after the session has ended. The service says again who is signed in. */
export function Door() {
  const answer = useAnswer('door', api.door)
  if (answer.is === 'waiting') return <WaitingPage />
  if (answer.is === 'there') return <DoorPages door={answer.value} />
  const assumed = doorWithout(answer.error, location.pathname)
  return assumed ? <DoorPages door={assumed} /> : <FailedPage error={answer.error} />
}

function DoorPages({ door }: { door: DoorAnswer }) {
  const address = new URL(useAddress(), location.origin)
  const at = doorAt(address.pathname)
  const token = address.searchParams.get('token') ?? ''
  if (door.first && (!at || at.page === 'signIn' || at.page === 'forgot')) return <FirstPage />
  if (!at) return <WaitingPage />
  if (at.page === 'invitation') return <InvitationPage id={at.id} me={door.me} />
  if (at.page === 'signIn') return <SignInPage next={safeNext(address.searchParams.get('next') ?? undefined)} />
  if (at.page === 'start') return <StartPage token={token} first={door.first} />
  if (at.page === 'link') return <LinkPage token={token} />
  if (at.page === 'claim') return <ClaimPage token={token} />
  return <ForgotPage mail={door.mail} />
}
