import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useWindowEvent } from '@mantine/hooks'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { hasPasskeys, shownPasskey, showsPasskey } from '../../data/passkeys.ts'
import { keys, read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { CodeInput } from '../../ui/forms/CodeInput.tsx'
import { Dialog, ErrorNote } from '../../ui/index.ts'
import { answerProof } from './ProofGate.tsx'

/**
 * The dialog that asks who the person is, before something dangerous is done: by a code of the authenticator app, by a
 * passkey or, without a second factor, by the password. It may lie over another dialog, which Escape must not close
 * with it.
 */
export function ProofDialog({ act }: { act: string | undefined }) {
  const { data, error } = useQuery({ ...read('GET /factors'), staleTime: 0 })
  const cancel = () => answerProof(false)
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && cancel(), { capture: true })
  return (
    <Dialog opened onClose={cancel} title="Confirm that it’s you" size="sm" stay>
      {error && <ErrorNote error={error} />}
      {data && (
        <ProofForm act={act} totp={data.totp} passkey={showsPasskey(data)} wasShown={data.shown} onCancel={cancel} />
      )}
    </Dialog>
  )
}

/** Names what will be done, what it needs, and why it is asked for now. */
export function questionFor({ act, totp, passkey, wasShown }: Omit<ProofFormProps, 'onCancel'>): string {
  const ways = [
    ...(totp ? ['give a code of your authenticator app'] : []),
    ...(passkey ? ['use a passkey'] : []),
    ...(totp || passkey ? [] : ['give your password']),
  ]
  const why = !(totp || passkey)
    ? 'You signed in more than ten minutes ago.'
    : wasShown
      ? 'The last proof was more than ten minutes ago.'
      : 'This session has shown no second factor.'
  return `To ${act ?? 'go on'}, ${ways.join(' or ')}. ${why}`
}

/** Keeps dialogs below from closing when Escape is pressed in a control. */
const alone = { 'data-mantine-stop-propagation': 'true' } as const

/** Focuses the input when the dialog opens, and also when it is drawn later because the factors had to be loaded. */
const first = { 'data-autofocus': true, autoFocus: true } as const

interface ProofFormProps {
  /** The act that needs the proof, such as `delete a workspace`; undefined for the rights of an admin. */
  act: string | undefined
  totp: boolean
  /** True if the person has a passkey. */
  passkey: boolean
  wasShown: boolean
  onCancel: () => void
}

function ProofForm({ act, totp, passkey, wasShown, onCancel }: ProofFormProps) {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { typed: '' },
    validate: { typed: (v) => (trimInvisible(v) === '' ? 'Required' : null) },
  })
  const goOn = (byFactor: boolean) => {
    // A factor that is shown for the first time may give an admin's rights back.
    if (byFactor && !wasShown)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.sessions[0] })
    answerProof(true)
  }
  const { busy, error, submit, forgetError } = useChange(async ({ typed }: typeof form.values) => {
    shown.forgetError()
    await call('POST /proof', totp ? { code: typed } : { password: typed })
    goOn(totp)
  })
  const shown = useChange(async () => {
    forgetError()
    await call('POST /proof', { passkey: await shownPasskey() })
    goOn(true)
  })
  const [types, shows] = [totp || !passkey, passkey && hasPasskeys()]
  const wrong = error ?? shown.error
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <div>{questionFor({ act, totp, passkey, wasShown })}</div>
        {totp && <CodeInput {...alone} {...first} {...form.getInputProps('typed')} />}
        {types && !totp && (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            {...alone}
            {...first}
            {...form.getInputProps('typed')}
          />
        )}
        {totp && (
          <p className="svc-quiet">
            Without your phone, sign out and sign in with a recovery code: within ten minutes no further proof is asked
            for.
          </p>
        )}
        {passkey && !shows && (
          <p className="svc-quiet">
            This browser cannot use passkeys here.
            {!totp && (
              <>
                {' '}
                Use another one, or ask the operator of this service to run <code>svc-server person reset-factor</code>.
              </>
            )}
          </p>
        )}
        {wrong !== null && <ErrorNote error={wrong} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} {...alone}>
            Cancel
          </Button>
          {shows && (
            <Button
              variant={types ? 'default' : 'filled'}
              onClick={() => shown.submit()}
              loading={shown.busy}
              {...alone}
              {...(!types && first)}
            >
              Use a passkey
            </Button>
          )}
          {types && (
            <Button type="submit" loading={busy} {...alone}>
              Continue
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
