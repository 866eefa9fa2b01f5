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
import { CopyLines } from '../ui/values/CopyLines.tsx'
import { DoorButton } from './links.tsx'

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
