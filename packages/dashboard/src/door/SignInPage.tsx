import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { trimInvisible } from '@svc/protocol'
import { useState } from 'react'
import { ApiError, signIn } from '../data/api.ts'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { wrongWithOldEmail } from '../ui/forms/rules.ts'
import { ErrorNote } from '../ui/index.ts'
import { replacePage } from './address.ts'
import { DoorAnchor } from './links.tsx'
import { PasskeySignIn } from './PasskeySignIn.tsx'
import { SecondFactor, type SecondStep } from './SecondFactor.tsx'

export const SignInPage = ({ next, passkeys }: { next: string; passkeys: boolean }) => (
  <DoorShell title="Sign in">
    <SignInForm next={next} passkeys={passkeys} />
  </DoorShell>
)

interface SignInFormProps {
  next: string
  email?: string
  /** True if browsers allow passkeys at the address of the service. */
  passkeys: boolean
}

/** The form for signing in. The page of an invitation also uses it, for people who have an account. */
export function SignInForm({ next, email = '', passkeys }: SignInFormProps) {
  const [second, setSecond] = useState<SecondStep>()
  const form = useForm({
    initialValues: { email, password: '' },
    validate: { email: wrongWithOldEmail, password: (v) => (v === '' ? 'Required' : null) },
  })
  const { busy, error, submit } = useChange(async (values: typeof form.values) => {
    const answer = await signIn(trimInvisible(values.email), values.password)
    if (answer.ok) await replacePage(next)
    else setSecond(answer.second)
  })
  if (second) return <SecondFactor second={second} next={next} onBack={() => setSecond(undefined)} />
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus={email === ''}
          {...form.getInputProps('email')}
        />
        <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
        {error !== null && <ErrorNote error={inWords(error)} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Sign in
        </Button>
        {passkeys && <PasskeySignIn next={next} />}
        <div>
          <DoorAnchor to={paths.forgot}>Forgot your password?</DoorAnchor>
        </div>
        <p className="svc-quiet">To join, ask a workspace admin for an invitation.</p>
      </Stack>
    </form>
  )
}

function inWords(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  if (error.status === 401) return new Error('Wrong email or password.')
  return error
}
