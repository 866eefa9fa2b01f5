import { Box, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Factors, Me, Passkey } from '@svc/api'
import { passkeyObstacle } from '@svc/api/words'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { canShowPasskey, createPasskey, hasPasskeys } from '../data/passkeys.ts'
import { read } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { wrongWithText } from '../ui/forms/rules.ts'
import { ErrorNote, Text, Time, useConfirm, useFocusedPart } from '../ui/index.ts'
import { notify } from '../ui/notify.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'

interface PasskeysProps extends Pick<Me, 'service'> {
  /** False if people sign in only through the provider of the service. */
  passwords: boolean
}

/** The passkeys of the signed-in person, with a form that adds one, or the reason why none can be added. */
export function Passkeys({ service: { baseUrl }, passwords }: PasskeysProps) {
  const query = useQuery(read('GET /factors'))
  const { data } = query
  const [adding, setAdding] = useState(false)
  const part = useFocusedPart<HTMLDivElement>(data && (adding ? 'adding' : `${data.passkeys.length} there`))
  if (!data) return <QueryState of={query} waiting={null} />
  const why = whyNoPasskeys(baseUrl, hasPasskeys())
  const byPassword = passwords && data.password
  return (
    <div ref={part} tabIndex={-1} className="svc-focused-part">
      <Stack gap="sm" align="flex-start">
        {data.passkeys.length > 0 && (
          <ul className="sessions" aria-label="Passkeys">
            {data.passkeys.map((passkey) => (
              <PasskeyLine key={passkey.id} passkey={passkey} factors={data} />
            ))}
          </ul>
        )}
        {data.passkeys.length === 0 && why === undefined && (
          <div>
            None. A passkey signs you in without a password: your device checks your finger, your face or a PIN.
          </div>
        )}
        {why !== undefined && <div>{data.passkeys.length === 0 ? `None. ${why}` : why}</div>}
        {why === undefined &&
          (adding ? (
            <AddPasskeyForm
              isFirst={!data.totp && !canShowPasskey(data)}
              byPassword={byPassword}
              onDone={() => setAdding(false)}
            />
          ) : (
            <Button variant="default" onClick={() => setAdding(true)}>
              Add a passkey
            </Button>
          ))}
        {canShowPasskey(data) && (
          <p className="svc-quiet">
            {data.totp ? (
              'If you lose a device, remove its passkey.'
            ) : (
              <>
                {byPassword
                  ? 'Your password alone still signs you in, but what can do harm needs a passkey.'
                  : 'What can do harm needs a passkey or a new sign-in.'}{' '}
                If you lose the last one, ask the operator of this service to run{' '}
                <code>svc-server person reset-factor</code>.
              </>
            )}
          </p>
        )}
      </Stack>
    </div>
  )
}

/**
 * Returns the reason, as a sentence, why nobody can add a passkey here, or undefined. `isKnown` is true if the browser
 * knows passkeys.
 */
export function whyNoPasskeys(baseUrl: string, isKnown: boolean): string | undefined {
  const obstacle = passkeyObstacle(baseUrl)
  if (obstacle === 'address')
    return 'Passkeys need a service with a name, and this one is reached by an IP address. The operator can set SVC_BASE_URL.'
  if (obstacle === 'http')
    return 'Passkeys need https, and this service is reached without it. The operator can set SVC_BASE_URL.'
  return isKnown ? undefined : 'This browser cannot add passkeys. A newer one can.'
}

/** Returns a function that loads all data again, since a change of the factors may change an admin's rights. */
function useReload() {
  const client = useQueryClient()
  return () => client.invalidateQueries()
}

function PasskeyLine({
  passkey: { id, name, createdAt, usedAt, here },
  factors,
}: {
  passkey: Passkey
  factors: Factors
}) {
  const reload = useReload()
  const confirm = useConfirm()
  const remove = async () => {
    await call('DELETE /factors/passkeys/:id', { id })
    await reload()
    notify({ message: 'Passkey removed.' })
  }
  const isLast = here && !factors.totp && factors.passkeys.filter((one) => one.here).length === 1
  const askToRemove = () =>
    confirm({
      title: 'Remove this passkey?',
      content: (
        <>
          <Text>{name}</Text> no longer signs you in. Your other sessions have to show a factor again.
          {isLast && ' In workspaces that require a second factor you have the rights of a member.'} Your device may
          still offer the passkey: remove it there, too.
        </>
      ),
      confirm: 'Remove passkey',
      danger: true,
      act: remove,
    })
  return (
    <li className="session">
      <div className="session-what">
        <Text>{name}</Text>
        <div className="svc-quiet">
          added <Time at={createdAt} />,{' '}
          {usedAt === null ? (
            'not used yet'
          ) : (
            <>
              used <Time at={usedAt} />
            </>
          )}
          {!here && '. It is of another address of this service and cannot be used here.'}
        </div>
      </div>
      <Button size="compact-sm" variant="default" onClick={askToRemove} aria-label={`Remove passkey: ${name}`}>
        Remove
      </Button>
    </li>
  )
}

interface AddingProps {
  isFirst: boolean
  /** True if the person can sign in with a password. */
  byPassword: boolean
  onDone: () => void
}

function AddPasskeyForm({ isFirst, byPassword, onDone }: AddingProps) {
  const reload = useReload()
  const form = useForm({ initialValues: { name: '' }, validate: { name: wrongWithText } })
  const { busy, error, submit } = useChange(async ({ name }: typeof form.values) => {
    await call('POST /factors/passkeys', { name, response: await createPasskey() })
    await reload()
    notify({ message: 'Passkey added.' })
    onDone()
  })
  return (
    <Box component="form" w="100%" onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name of the passkey"
          description="Such as the device that keeps it: “Laptop”, “Security key”."
          maxLength={60}
          autoFocus
          {...form.getInputProps('name')}
        />
        {isFirst && (
          <p className="svc-quiet">
            It will be your first second factor. Your other sessions end, and what can do harm then needs the passkey
            {byPassword ? ' instead of the password.' : ' or a new sign-in.'}
          </p>
        )}
        {error !== null && <ErrorNote error={error} />}
        <Group gap="xs">
          <Button type="submit" loading={busy}>
            Continue
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Box>
  )
}
