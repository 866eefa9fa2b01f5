import { Button, Divider, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { EntryInfo } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { operatorCommand } from '../data/operator-command.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { NewPasswordInput } from '../ui/forms/NewPasswordInput.tsx'
import { slugOf, wrongWithEmail, wrongWithPassword, wrongWithSlug, wrongWithText } from '../ui/forms/rules.ts'
import { SlugInput } from '../ui/forms/SlugInput.tsx'
import { ErrorNote } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { CopyLines } from '../ui/values/CopyLines.tsx'
import { replacePage } from './address.ts'
import { LinkRefused } from './LinkRefused.tsx'
import { useAnswer } from './useAnswer.ts'

/**
 * The page that creates the first account and workspace. It needs the one-time link that the service prints when it
 * starts without any account.
 */
export const StartPage = ({ token, first, oidc }: { token: string } & Pick<EntryInfo, 'first' | 'oidc'>) =>
  first ? (
    <FirstAccount token={token} oidc={oidc} />
  ) : (
    <LinkRefused title="This link can’t be used" error={new Error('It was for the first account, which exists.')}>
      Sign in, or ask a workspace admin for an invitation.
    </LinkRefused>
  )

function FirstAccount({ token, oidc }: { token: string } & Pick<EntryInfo, 'oidc'>) {
  const info = useAnswer(token, (signal) => call('GET /start', { token }, signal))
  if (info.is === 'waiting') return <WaitingPage />
  if (info.is === 'refused')
    return (
      <LinkRefused title="This link can’t be used" error={info.error} canSignIn={false}>
        Nobody has an account yet. Each new link replaces the one before: if there is a newer link, open that one.
        Otherwise this prints a new link on the machine of the service:
        <CopyLines text={`${operatorCommand} link --first`} label="command" />
      </LinkRefused>
    )
  return (
    <DoorShell title="Welcome" note="Create your account and first workspace.">
      <StartForm token={token} />
      {oidc?.only && (
        <p className="svc-quiet">
          The password works only now. Next, connect {oidc.name} under My account: you sign in with it from then on.
        </p>
      )}
    </DoorShell>
  )
}

function StartForm({ token }: { token: string }) {
  const [ownSlug, setOwnSlug] = useState(false)
  const form = useForm({
    initialValues: { name: '', email: '', password: '', workspace: '', slug: '' },
    validate: {
      name: wrongWithText,
      email: wrongWithEmail,
      password: wrongWithPassword,
      workspace: wrongWithText,
      slug: wrongWithSlug,
    },
    onValuesChange: (values, previous) => {
      if (!ownSlug && values.workspace !== previous.workspace) form.setFieldValue('slug', slugOf(values.workspace))
    },
  })
  const { busy, error, submit } = useChange(async (values: typeof form.values) => {
    const { slug } = await call('POST /start', { token, ...values, email: trimInvisible(values.email) })
    await replacePage(`/w/${slug}`)
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput label="Your name" autoComplete="name" autoFocus {...form.getInputProps('name')} />
        <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
        <NewPasswordInput {...form.getInputProps('password')} />
        <Divider my={4} color="var(--svc-line)" />
        <TextInput
          label="Workspace"
          description="Groups your agents and teammates."
          placeholder="Acme"
          autoComplete="organization"
          {...form.getInputProps('workspace')}
        />
        <SlugInput {...form.getInputProps('slug')} refused={error !== null} onOwn={setOwnSlug} />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Create account and workspace
        </Button>
      </Stack>
    </form>
  )
}
