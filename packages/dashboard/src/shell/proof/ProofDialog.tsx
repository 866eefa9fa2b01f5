import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useWindowEvent } from '@mantine/hooks'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { askForPasskey, canShowPasskey, hasPasskeys } from '../../data/passkeys.ts'
import { proofAddress } from '../../data/provider.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { useProvider } from '../../data/useProvider.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { CodeInput } from '../../ui/forms/CodeInput.tsx'
import { Dialog, ErrorNote, focusAtFirst } from '../../ui/index.ts'
import { answerProof } from './ProofGate.tsx'

/**
 * The dialog that asks for a proof: a code of the authenticator app, a passkey or, without a second factor, the
 * password. Somebody who has none of these must sign in again. Escape closes only this dialog, not one below it.
 */
export function ProofDialog({ act }: { act: string | undefined }) {
  const { data, error } = useQuery({ ...read('GET /factors'), staleTime: 0 })
  const provider = useProvider()
  const cancel = () => answerProof(false)
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && cancel(), { capture: true })
  return (
    <Dialog opened onClose={cancel} title="Confirm that it’s you" size="sm" stay>
      {error && <ErrorNote error={error} />}
      {data && (
        <Question
          act={act}
          totp={data.totp}
          passkey={canShowPasskey(data)}
          password={data.password && !provider?.only}
          connection={data.oidc?.name}
          wasShown={data.shown}
          onCancel={cancel}
        />
      )}
    </Dialog>
  )
}

/** The question: what the person is about to do, which proof it needs, and why the proof is asked for now. */
export function questionFor({ act, totp, passkey, password, connection, wasShown }: ProofQuestion): string {
  const without = password ? 'give your password' : `sign in again${connection ? ` with ${connection}` : ''}`
  const ways = [
    ...(totp ? ['give a code of your authenticator app'] : []),
    ...(passkey ? ['use a passkey'] : []),
    ...(totp || passkey ? [] : [without]),
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

interface ProofQuestion {
  /** The act that needs the proof, such as `delete a workspace`; undefined if the person only shows a second factor. */
  act: string | undefined
  totp: boolean
  /** True if the person has a passkey. */
  passkey: boolean
  /** True if the person has a password, and people sign in with passwords here. */
  password: boolean
  /** The name of the sign-in provider with which the account is connected. */
  connection: string | undefined
  wasShown: boolean
}

interface QuestionProps extends ProofQuestion {
  onCancel: () => void
}

const Question = (props: QuestionProps) =>
  props.totp || props.passkey || props.password ? <ProofForm {...props} /> : <NewSignIn {...props} />

/** Asks somebody who has neither a factor nor a password to sign in again, which leaves the page. */
function NewSignIn({ onCancel, ...question }: QuestionProps) {
  const { connection } = question
  return (
    <Stack gap="md">
      <div>{questionFor(question)}</div>
      <p className="svc-quiet">
        {connection ? (
          'You come back to this page. Then press the button again.'
        ) : (
          <>
            Ask the operator of this service for a link: <code>svc-server link</code> with your email address.
          </>
        )}
      </p>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel} {...alone} {...(!connection && first)}>
          Cancel
        </Button>
        {connection && <AgainButton />}
      </Group>
    </Stack>
  )
}

/** The link with which the person signs in again through the provider, and comes back to this page. */
const AgainButton = () => (
  <Button component="a" href={proofAddress(window.location)} ref={focusAtFirst} data-autofocus {...alone}>
    Sign in again
  </Button>
)

function ProofForm({ onCancel, ...question }: QuestionProps) {
  const { totp, passkey, connection, wasShown } = question
  const client = useQueryClient()
  const form = useForm({
    initialValues: { typed: '' },
    validate: { typed: (v) => (trimInvisible(v) === '' ? 'Required' : null) },
  })
  const goOn = (byFactor: boolean) => {
    // The first factor of a session may give the rights of an admin, so other data is loaded again.
    if (byFactor && !wasShown)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.sessions[0] })
    answerProof(true)
  }
  const { busy, error, submit, forgetError } = useChange(async ({ typed }: typeof form.values) => {
    shown.forgetError()
    await call('POST /proof', totp ? { code: typed } : { password: typed })
    goOn(totp)
  })
  const shown = useChange(async () => {
    forgetError()
    await call('POST /proof', { passkey: await askForPasskey() })
    goOn(true)
  })
  const [types, shows] = [totp || !passkey, passkey && hasPasskeys()]
  const wrong = error ?? shown.error
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <div>{questionFor(question)}</div>
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
            {!totp && connection && (
              <> Sign in again with {connection} instead: you come back to this page. Then press the button again.</>
            )}
            {!totp && !connection && (
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
          {!types && !shows && connection && <AgainButton />}
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
