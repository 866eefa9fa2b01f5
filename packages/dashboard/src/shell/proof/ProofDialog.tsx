import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useWindowEvent } from '@mantine/hooks'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { keys, read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { CodeInput } from '../../ui/forms/CodeInput.tsx'
import { Dialog, ErrorNote } from '../../ui/index.ts'
import { answerProof } from './ProofGate.tsx'

/**
 * The dialog that asks who the person is, before something dangerous is done: by a code of the authenticator app or,
 * without a second factor, by the password. It may lie over another dialog, which Escape must not close with it.
 */
export function ProofDialog() {
  const { data, error } = useQuery({ ...read('GET /factors'), staleTime: 0 })
  const cancel = () => answerProof(false)
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && cancel(), { capture: true })
  return (
    <Dialog opened onClose={cancel} title="Confirm that it’s you" size="sm" stay>
      {error && <ErrorNote error={error} />}
      {data && <ProofForm totp={data.totp} wasShown={data.shown} onCancel={cancel} />}
    </Dialog>
  )
}

/** Keeps dialogs below from closing when Escape is pressed in a control. */
const alone = { 'data-mantine-stop-propagation': 'true' } as const

/** Focuses the input when the dialog opens, and also when it is drawn later because the factors had to be loaded. */
const first = { 'data-autofocus': true, autoFocus: true } as const

function ProofForm({ totp, wasShown, onCancel }: { totp: boolean; wasShown: boolean; onCancel: () => void }) {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { typed: '' },
    validate: { typed: (v) => (trimInvisible(v) === '' ? 'Required' : null) },
  })
  const { busy, error, submit } = useChange(async ({ typed }: typeof form.values) => {
    await call('POST /proof', totp ? { code: typed } : { password: typed })
    // A factor that is shown for the first time may give an admin's rights back.
    if (totp && !wasShown)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.sessions[0] })
    answerProof(true)
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <div>
          {totp
            ? `${wasShown ? 'The last proof was more than ten minutes ago' : 'This session has shown no second factor'}, and this needs a code of your authenticator app.`
            : 'You signed in more than ten minutes ago, and this needs your password.'}
        </div>
        {totp ? (
          <CodeInput {...alone} {...first} {...form.getInputProps('typed')} />
        ) : (
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
        {error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} {...alone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} {...alone}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
