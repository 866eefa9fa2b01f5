import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../api.ts'
import { NewPasswordInput } from '../forms/NewPasswordInput.tsx'
import { wrongWithPassword, wrongWithText } from '../forms/rules.ts'
import { useSubmit } from '../forms/useSubmit.ts'
import { ButtonLink } from '../links.tsx'
import { paths } from '../paths.ts'
import { useArrive } from '../session.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { ErrorNote } from '../ui/index.ts'
import { WaitingPage } from './WaitingPage.tsx'

const route = getRouteApi('/claim')

/** Opens a link with which the operator hands an account to the owner of its email address. */
export function ClaimPage() {
  const { token = '' } = route.useSearch()
  const info = useQuery({
    queryKey: ['claim', token],
    queryFn: ({ signal }) => api.claimInfo(token, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { once: true },
  })
  if (info.isPending) return <WaitingPage />
  if (info.isError)
    return (
      <DoorShell title="This link can’t be used">
        <Stack gap="md">
          <ErrorNote error={info.error} />
          <div>It works once, and for one day. Ask the operator of this service for a new one.</div>
          <ButtonLink to={paths.signIn} variant="default">
            Sign in
          </ButtonLink>
        </Stack>
      </DoorShell>
    )
  return (
    <DoorShell
      title="Take over your account"
      note="An account with your email address exists. Choose a name and a password for it. Its other sessions are signed out."
    >
      <ClaimForm token={token} email={info.data.email} />
    </DoorShell>
  )
}

function ClaimForm({ token, email }: { token: string; email: string }) {
  const arrive = useArrive()
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: { name: wrongWithText, password: wrongWithPassword },
  })
  const { busy, error, submit } = useSubmit(async ({ name, password }: typeof form.values) => {
    await api.claim({ token, name: name.trim(), password })
    await arrive(paths.home)
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput label="Email" value={email} readOnly autoComplete="username" />
        <TextInput label="Your name" autoComplete="name" autoFocus {...form.getInputProps('name')} />
        <NewPasswordInput {...form.getInputProps('password')} />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Take over account
        </Button>
      </Stack>
    </form>
  )
}
