import { useState } from 'react'
import { call } from '../data/api.ts'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { AccountForm } from './AccountForm.tsx'
import { goToDoorPage, replacePage } from './address.ts'
import { LinkRefused } from './LinkRefused.tsx'
import { SecondFactor, type SecondStep } from './SecondFactor.tsx'
import { useAnswer } from './useAnswer.ts'

/**
 * The page of a link with which the operator hands an account to the owner of its e-mail address, or which was mailed
 * to a person who forgot their password.
 */
export function ClaimPage({ token }: { token: string }) {
  const info = useAnswer(token, (signal) => call('GET /claim', { token }, signal))
  const [second, setSecond] = useState<SecondStep>()
  if (second)
    return (
      <DoorShell title="Your password was changed" note="Your account has a second factor. Show it to sign in.">
        <SecondFactor second={second} next={paths.home} onBack={() => goToDoorPage(paths.signIn)} />
      </DoorShell>
    )
  if (info.is === 'waiting') return <WaitingPage />
  if (info.is === 'refused')
    return (
      <LinkRefused title="This link can’t be used" error={info.error}>
        It works once and for a short time. Ask for a new link, or ask the operator of this service.
      </LinkRefused>
    )
  const { email, name, forgot } = info.value
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
          const answer = await call('POST /claim', { token, ...account })
          if (answer.ok) await replacePage(paths.home)
          else setSecond(answer.second)
        }}
      />
    </DoorShell>
  )
}
