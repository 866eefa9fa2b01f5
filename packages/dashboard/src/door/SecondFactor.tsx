import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { SignInAnswer } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { asTyped } from '../ui/forms/as-typed.ts'
import { CodeInput } from '../ui/forms/CodeInput.tsx'
import { ErrorNote } from '../ui/index.ts'
import { replacePage } from './address.ts'
import { PasskeySignIn } from './PasskeySignIn.tsx'

/** The ways in which the person can show a second factor. */
export type SecondStep = Extract<SignInAnswer, { ok: false }>['second']

interface SecondFactorProps {
  second: SecondStep
  /** The address to open after the sign-in. */
  next: string
  /** Goes back to the form for the password; undefined if there is none. */
  onBack?: () => void
}

/** The second half of a sign-in: by a code of the app, a recovery code or a passkey. */
export function SecondFactor({ second, ...more }: SecondFactorProps) {
  const [recovering, setRecovering] = useState(!second.includes('totp'))
  const canRecover = second.includes('recovery')
  const canShow = second.includes('passkey')
  const turn = canRecover || recovering ? () => setRecovering(!recovering) : undefined
  // The key makes React replace the form, so that an error about a code is not shown with the recovery codes.
  return <HalfForm key={String(recovering)} {...{ recovering, canRecover, canShow, turn }} {...more} />
}

interface HalfFormProps extends Omit<SecondFactorProps, 'second'> {
  recovering: boolean
  /** True if the account has recovery codes left. */
  canRecover: boolean
  /** True if the account has a passkey. */
  canShow: boolean
  /** Goes to the other form; undefined if there is none. */
  turn: (() => void) | undefined
}

/** The form for a code or a recovery code, with advice for somebody who has lost the phone. */
function HalfForm({ recovering, canRecover, canShow, turn, next, onBack }: HalfFormProps) {
  const [recovered, setRecovered] = useState(false)
  const form = useForm({
    initialValues: { typed: '' },
    validate: { typed: (v) => (trimInvisible(v) === '' ? 'Required' : null) },
  })
  const { busy, error, submit } = useChange(async ({ typed }: typeof form.values) => {
    await call('POST /second-factor', recovering ? { recovery: typed } : { code: typed })
    if (recovering) setRecovered(true)
    else await replacePage(next)
  })
  if (recovered) return <RecoveredNote next={next} />
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        {recovering ? (
          <TextInput
            label="Recovery code"
            description="One of the ten that you got with the authenticator app. Each works once."
            {...asTyped}
            autoFocus
            {...form.getInputProps('typed')}
          />
        ) : (
          <CodeInput autoFocus {...form.getInputProps('typed')} />
        )}
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          Sign in
        </Button>
        {turn && (
          <Button variant="default" onClick={turn} fullWidth>
            {recovering ? 'Use a code of the app' : 'Use a recovery code'}
          </Button>
        )}
        {canShow && <PasskeySignIn next={next} />}
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

/** Says what to do after a recovery code, while the sign-in still counts as a proof. */
const RecoveredNote = ({ next }: { next: string }) => (
  <Stack gap="sm">
    <div role="status">
      You are signed in with a recovery code, which no longer works. If you lost the phone, remove the authenticator app
      within ten minutes and add it again on another phone: after that, removing it needs a code of the app.
    </div>
    <Button autoFocus onClick={() => void replacePage(paths.account)} fullWidth>
      Open My account
    </Button>
    <Button variant="default" onClick={() => void replacePage(next)} fullWidth>
      I still have the phone
    </Button>
  </Stack>
)
