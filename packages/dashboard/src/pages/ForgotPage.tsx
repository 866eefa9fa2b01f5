import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api } from '../api.ts'
import { wrongWithOldEmail } from '../forms/rules.ts'
import { useSubmit } from '../forms/useSubmit.ts'
import { ButtonLink } from '../links.tsx'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { ErrorNote, Text } from '../ui/index.ts'

interface Asked {
  email: string
  mails: boolean
}

/**
 * The page on which a person requests a link to choose a new password. It shows the same answer for an address without
 * an account.
 */
export function ForgotPage() {
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <DoorShell title="Forgot your password?">
      {asked ? <Answered {...asked} /> : <ForgotForm onAsked={setAsked} />}
    </DoorShell>
  )
}

function ForgotForm({ onAsked }: { onAsked: (asked: Asked) => void }) {
  const form = useForm({ initialValues: { email: '' }, validate: { email: wrongWithOldEmail } })
  const { busy, error, submit } = useSubmit(async (values: typeof form.values) => {
    const email = values.email.trim()
    const { mails } = await api.forgot(email)
    onAsked({ email, mails })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.getInputProps('email')} />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Send link
        </Button>
        <ButtonLink to={paths.signIn} variant="subtle">
          Sign in
        </ButtonLink>
      </Stack>
    </form>
  )
}

const Answered = ({ email, mails }: Asked) => (
  <Stack gap="md">
    <div role="status">
      {mails ? (
        <>
          If <Text>{email}</Text> has an account here, an email with a link is on its way. The link works once, and for
          one hour.
        </>
      ) : (
        'This service doesn’t send email. Ask its operator for a sign-in link.'
      )}
    </div>
    <ButtonLink to={paths.signIn} variant="default">
      Sign in
    </ButtonLink>
  </Stack>
)
