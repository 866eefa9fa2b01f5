import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Factors, NewTotp } from '@svc/api'
import { codeIn } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useLayoutEffect, useRef, useState } from 'react'
import { call } from '../data/api.ts'
import { canShowPasskey } from '../data/passkeys.ts'
import { read } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { lazyPart } from '../ui/files.tsx'
import { CodeInput } from '../ui/forms/CodeInput.tsx'
import { localDayOf } from '../ui/forms/local-time.ts'
import { ErrorNote, serviceNow, useConfirm, useFocusedPart } from '../ui/index.ts'
import { notify } from '../ui/notify.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { CopyLines } from '../ui/values/CopyLines.tsx'

const QrCode = lazyPart(async () => ({ default: (await import('./QrCode.tsx')).QrCode }))

interface NewRecoveryCodes {
  codes: string[]
  /** True if the codes replaced earlier ones. */
  replace: boolean
}

interface SecondFactorsProps {
  email: string
  /** False if people sign in only through the provider of the service. */
  passwords: boolean
}

/** The second factors of the signed-in person: an authenticator app with its recovery codes. */
export function SecondFactors({ email, passwords }: SecondFactorsProps) {
  const query = useQuery(read('GET /factors'))
  const { data } = query
  const [begun, setBegun] = useState<NewTotp>()
  const [fresh, setFresh] = useState<NewRecoveryCodes>()
  const part = useFocusedPart<HTMLDivElement>(
    data && (fresh ? 'codes' : data.totp ? 'added' : begun ? 'enrolling' : 'none'),
  )
  const shown = (next?: NewRecoveryCodes) => {
    setBegun(undefined)
    setFresh(next)
  }
  if (!data) return <QueryState of={query} waiting={null} />
  const byPassword = passwords && data.password
  return (
    <div ref={part} tabIndex={-1} className="svc-focused-part">
      {fresh ? (
        <NewCodes {...fresh} email={email} onDone={() => shown()} />
      ) : data.totp ? (
        <AddedFactors factors={data} byPassword={byPassword} onCodes={(codes) => shown({ codes, replace: true })} />
      ) : begun ? (
        <EnrollApp begun={begun} onCodes={(codes) => shown({ codes, replace: false })} onCancel={() => shown()} />
      ) : (
        <AddFactor why={whyAdd(data, byPassword)} onBegun={setBegun} />
      )}
    </div>
  )
}

/** Returns a function that loads all data again, since a change of the factors may change an admin's rights. */
function useReload() {
  const client = useQueryClient()
  return () => client.invalidateQueries()
}

/** Says what an authenticator app would be good for. `byPassword` is true if the person can sign in with a password. */
export function whyAdd({ oidc }: Pick<Factors, 'oidc'>, byPassword: boolean): string {
  if (byPassword) return 'With an authenticator app, a password alone does not sign anybody in to your account.'
  if (oidc) return `Signing in with ${oidc.name} counts as one, so you need none.`
  return 'With an authenticator app, you can show who you are without signing in again.'
}

interface AddingProps {
  why: string
  onBegun: (begun: NewTotp) => void
}

function AddFactor({ why, onBegun }: AddingProps) {
  const { busy, error, submit } = useChange(async () => onBegun(await call('POST /factors/totp')))
  return (
    <Stack gap="sm" align="flex-start">
      <div>None. {why}</div>
      {error !== null && <ErrorNote error={error} />}
      <Button variant="default" onClick={() => submit()} loading={busy}>
        Add an authenticator app
      </Button>
    </Stack>
  )
}

interface EnrollingProps {
  begun: NewTotp
  onCodes: (codes: string[]) => void
  onCancel: () => void
}

function EnrollApp({ begun: { secret, uri }, onCodes, onCancel }: EnrollingProps) {
  const reload = useReload()
  const form = useForm({
    initialValues: { code: '' },
    validate: {
      code: (v) => (/^\d{6}$/.test(codeIn(v)) ? null : 'Enter the six digits that the app shows.'),
    },
  })
  const { busy, error, submit } = useChange(async ({ code }: typeof form.values) => {
    const { recovery } = await call('POST /factors/totp/confirm', { code })
    onCodes(recovery)
    void reload()
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <div>
          Scan this code with an authenticator app, such as Aegis, 1Password or Google Authenticator. An app on this
          device takes the secret as text.
        </div>
        <Suspense fallback={<div className="factor-qr" />}>
          <QrCode text={uri} />
        </Suspense>
        <CopyLines text={secret} label="secret" gapAfter={4} />
        <Button component="a" href={uri} variant="default" className="factor-here">
          Open the app on this phone
        </Button>
        <CodeInput autoFocus {...form.getInputProps('code')} />
        <p className="svc-quiet">
          Adding the app ends your other sessions: they sign in again, with a code. Next you get ten recovery codes. If
          you lose the phone, one of them signs you in. Without them, only the operator of this service can help:{' '}
          <code>svc-server person reset-factor</code>.
        </p>
        {error !== null && <ErrorNote error={error} />}
        <Group gap="xs">
          <Button type="submit" loading={busy}>
            Add app
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function NewCodes({ codes, replace, email, onDone }: NewRecoveryCodes & { email: string; onDone: () => void }) {
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => title.current?.focus(), [])
  const file = recoveryFile({ codes, email, host: location.host, now: serviceNow() })
  return (
    <Stack gap="sm" align="flex-start">
      <h3 className="factor-title" ref={title} tabIndex={-1}>
        Recovery codes
      </h3>
      <div>
        Keep them where you find them without your phone. Each works once, and you won’t see them again.
        {replace && ' Your earlier codes no longer work.'}
      </div>
      <CopyLines text={codes.join('\n')} label="recovery codes" />
      <Group gap="xs">
        <Button component="a" href={addressOfFile(file)} download="svc-recovery-codes.txt" variant="default">
          Download
        </Button>
        <Button onClick={onDone}>I have saved them</Button>
      </Group>
    </Stack>
  )
}

interface AddedProps {
  factors: Factors
  /** True if the person can sign in with a password. */
  byPassword: boolean
  onCodes: (codes: string[]) => void
}

function AddedFactors({ factors, byPassword, onCodes }: AddedProps) {
  const reload = useReload()
  const confirm = useConfirm()
  const { busy, error, submit } = useChange(async () => {
    const { recovery } = await call('POST /factors/recovery')
    onCodes(recovery)
    void reload()
  })
  const remove = async () => {
    await call('DELETE /factors/totp')
    await reload()
    notify({ message: 'Authenticator app removed.' })
  }
  const askToRemove = () =>
    confirm({
      title: 'Remove the authenticator app?',
      content: [
        ...(byPassword ? ['Your password alone then signs in to your account.'] : []),
        'The recovery codes stop working.',
        canShowPasskey(factors)
          ? 'Your passkeys stay.'
          : `In workspaces that require a second factor you have the rights of a member${factors.oidc ? ` until you sign in with ${factors.oidc.name}` : ''}.`,
      ].join(' '),
      confirm: 'Remove app',
      danger: true,
      act: remove,
    })
  const left = factors.recoveryLeft
  return (
    <Stack gap="sm" align="flex-start">
      <div>
        Authenticator app, with {left === 1 ? '1 recovery code' : `${left} recovery codes`} left.
        {left < 3 && ' Make new ones before you need them.'}
      </div>
      {factors.unreadable && (
        <ErrorNote
          error={new Error('The service can no longer read the secret of the app. Remove the app, and add it again.')}
        />
      )}
      {error !== null && <ErrorNote error={error} />}
      <Group gap="xs">
        <Button variant="default" onClick={() => submit()} loading={busy}>
          Make new recovery codes
        </Button>
        <Button variant="default" onClick={askToRemove}>
          Remove app
        </Button>
      </Group>
      <p className="svc-quiet">
        If you lose the phone, sign in with a recovery code and remove the app within ten minutes. Without a code, ask
        the operator of this service to run <code>svc-server person reset-factor</code>.
      </p>
    </Stack>
  )
}

interface RecoveryFile {
  codes: readonly string[]
  email: string
  /** The address of the service, with its port. */
  host: string
  now: number
}

/** Makes the text file in which a person keeps their recovery codes. */
export const recoveryFile = ({ codes, email, host, now }: RecoveryFile): string =>
  `${[
    `Recovery codes for ${email} at ${host}, made on ${localDayOf(now)}.`,
    'Each signs you in once, without your phone. Newer codes replace these.',
    '',
    ...codes,
  ].join('\n')}\n`

/** Makes a `data:` address from which the browser saves a text as a file. */
export const addressOfFile = (text: string): string => `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`
