import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { SignInAnswer } from '@svc/api'
import { useState } from 'react'
import { api } from '../api.ts'
import { asTyped } from '../forms/as-typed.ts'
import { CodeInput } from '../forms/CodeInput.tsx'
import { useSubmit } from '../forms/useSubmit.ts'
import { ErrorNote } from '../ui/index.ts'
import { arrive } from './address.ts'

export type Second = Extract<SignInAnswer, { ok: false }>['second']

interface SecondFactorProps {
  second: Second
  /** The address to open after the sign-in. */
  next: string
  /** Goes back to the form for the password; undefined if there is none. */
  onBack?: () => void
}

/** The form for the second half of a sign-in. It names the ways out for somebody without the phone. */
export function SecondFactor({ second, next, onBack }: SecondFactorProps) {
  const canRecover = second.includes('recovery')
  const [recovering, setRecovering] = useState(!second.includes('totp'))
  const form = useForm({
    initialValues: { typed: '' },
    validate: { typed: (v) => (v.trim() === '' ? 'Required' : null) },
  })
  const { busy, error, submit } = useSubmit(async ({ typed }: typeof form.values) => {
    await api.secondFactor(recovering ? { recovery: typed } : { code: typed })
    await arrive(next)
  })
  const turn = () => {
    form.reset()
    setRecovering(!recovering)
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        {recovering ? (
          <TextInput
            key="recovery"
            label="Recovery code"
            description="One of the ten that you got with the authenticator app. Each works once."
            {...asTyped}
            autoFocus
            {...form.getInputProps('typed')}
          />
        ) : (
          <CodeInput key="code" autoFocus {...form.getInputProps('typed')} />
        )}
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Sign in
        </Button>
        {(canRecover || recovering) && (
          <Button variant="default" onClick={turn} fullWidth>
            {recovering ? 'Use a code of the app' : 'Use a recovery code'}
          </Button>
        )}
        {onBack && (
          <Button variant="subtle" onClick={onBack} fullWidth>
            Sign in again
          </Button>
        )}
        <p className="svc-quiet">
          Lost your phone? {canRecover ? 'Use a recovery code. Without one, ask' : 'Ask'} the operator of this service,
          who can run <code>svc-server person reset-factor</code> with your email address.
        </p>
      </Stack>
    </form>
  )
}
