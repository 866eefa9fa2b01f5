/** The pages on which a person requests a link to choose a new password, and uses such a link. */
import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { trimInvisible } from '@svc/protocol'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { operatorCommand } from '../data/operator-command.ts'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { wrongWithOldEmail } from '../ui/forms/rules.ts'
import { ErrorNote, Text } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { CopyLines } from '../ui/values/CopyLines.tsx'
import { AccountForm } from './AccountForm.tsx'
import { goToDoorPage, replacePage } from './address.ts'
import { LinkRefused } from './LinkRefused.tsx'
import { DoorButton } from './links.tsx'
import { SecondFactor, type SecondStep } from './SecondFactor.tsx'
import { useAnswer } from './useAnswer.ts'

/**
 * The page on which a person requests a link to choose a new password. The answer does not reveal whether the address
 * has an account. If the service sends no email, the page says what the operator can do.
 */
export function ForgotPage({ mail }: { mail: boolean }) {
  const [asked, setAsked] = useState<string | null>(null)
  return (
    <DoorShell title="Forgot your password?">
      {!mail ? <NoMail /> : asked !== null ? <AnswerNote email={asked} /> : <ForgotForm onAsked={setAsked} />}
    </DoorShell>
  )
}

function ForgotForm({ onAsked }: { onAsked: (email: string) => void }) {
  const form = useForm({ initialValues: { email: '' }, validate: { email: wrongWithOldEmail } })
  const { busy, error, submit } = useChange(async (values: typeof form.values) => {
    const email = trimInvisible(values.email)
    await call('POST /forgot', { email })
    onAsked(email)
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.getInputProps('email')} />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Send link
        </Button>
        <DoorButton to={paths.signIn} variant="subtle">
          Sign in
        </DoorButton>
      </Stack>
    </form>
  )
}

const NoMail = () => (
  <Stack gap="md">
    <div>
      This service doesn’t send email. Ask its operator to run this with your email address. It sets a new password for
      you:
    </div>
    <CopyLines text={`${operatorCommand} person reset EMAIL`} label="command" />
    <DoorButton to={paths.signIn} variant="default">
      Sign in
    </DoorButton>
  </Stack>
)

const AnswerNote = ({ email }: { email: string }) => (
  <Stack gap="md">
    <div role="status">
      If <Text>{email}</Text> has an account here, an email with a link is on its way. The link works once, and for one
      hour.
    </div>
    <DoorButton to={paths.signIn} variant="default">
      Sign in
    </DoorButton>
  </Stack>
)

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
