import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { EntryInfo, ProviderFailure } from '@svc/api'
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
import { ProviderSignIn } from './ProviderSignIn.tsx'
import { SecondFactor, type SecondStep } from './SecondFactor.tsx'

/** The ways to sign in that the service offers. */
export type WaysIn = Pick<EntryInfo, 'passkeys' | 'oidc'>

interface SignInPageProps {
  next: string
  ways: WaysIn
  /** The value of `oidc` in the address: why the sign-in through the provider failed; null if it is missing. */
  failure: string | null
}

export function SignInPage({ next, ways, failure }: SignInPageProps) {
  const words = failureInWords(failure, ways.oidc)
  return (
    <DoorShell title="Sign in">
      <Stack gap="md">
        {words !== undefined && <ErrorNote error={words} />}
        <SignIn next={next} ways={ways} />
      </Stack>
    </DoorShell>
  )
}

interface SignInProps {
  next: string
  email?: string
  ways: WaysIn
}

/** All ways to sign in. The page of an invitation also shows them, for people who have an account. */
export function SignIn({ next, email = '', ways }: SignInProps) {
  if (!ways.oidc?.only) return <SignInForm next={next} email={email} ways={ways} />
  return (
    <Stack gap="sm">
      <ProviderSignIn provider={ways.oidc} next={next} />
      {ways.passkeys && <PasskeySignIn next={next} other={`sign in with ${ways.oidc.name}`} />}
      <ToJoin />
    </Stack>
  )
}

const ToJoin = () => <p className="svc-quiet">To join, ask a workspace admin for an invitation.</p>

/** The form for email and password, with the other ways below it. */
function SignInForm({ next, email, ways: { passkeys, oidc } }: Required<SignInProps>) {
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
        {oidc && <ProviderSignIn provider={oidc} next={next} />}
        {passkeys && <PasskeySignIn next={next} />}
        <div>
          <DoorAnchor to={paths.forgot}>Forgot your password?</DoorAnchor>
        </div>
        <ToJoin />
      </Stack>
    </form>
  )
}

function inWords(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  if (error.status === 401) return new Error('Wrong email or password.')
  return error
}

/** The sentence for each REASON in `/sign-in?oidc=REASON`, the address after a failed sign-in through the provider. */
const failures: Readonly<Record<ProviderFailure, (name: string, other: string) => string>> = {
  failed: (name) =>
    `You were not signed in through ${name}. Try again; if it keeps failing, ask the operator of this service.`,
  unverified: (name) => `${name} has not verified your email address. Have it verified there, and try again.`,
  domain: (name) =>
    `Email addresses of your domain get no account here. Use another account at ${name}, or ask the operator of this service.`,
  exists: (name, other) =>
    `Your email address already has an account here. ${other}, and connect ${name} under My account.`,
  disabled: () => 'This account is disabled. Ask the operator of this service to enable it.',
  limited: () =>
    'Too many people have made accounts here lately. Try again in an hour, or ask the operator of this service.',
  busy: (name) => `Too many sign-ins through ${name} have failed or are still pending. Try again in some minutes.`,
}

/** Returns the sentence about a failed sign-in through the provider; undefined without a known `reason`. */
export function failureInWords(reason: string | null, provider: EntryInfo['oidc']): string | undefined {
  const words = Object.hasOwn(failures, reason ?? '') ? failures[reason as ProviderFailure] : undefined
  const other = provider?.only
    ? 'Sign in with a passkey or with a link from the operator of this service'
    : 'Sign in as before'
  return words?.(provider?.name ?? 'the sign-in provider', other)
}
