import { Anchor, Button, Group, PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Factors, Me } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { shellWord } from '../agents/dialogs/paste-lines.ts'
import { call } from '../data/api.ts'
import { operatorCommand } from '../data/operator-command.ts'
import { canShowPasskey } from '../data/passkeys.ts'
import { meQuery, queryKeys, read } from '../data/queries.ts'
import { useSignOut } from '../data/session.ts'
import { useProvider } from '../data/useProvider.ts'
import { paths, secondFactorPart } from '../paths.ts'
import { useScheme } from '../shell/finding/scheme.ts'
import { LastWorkspace } from '../shell/OutsidePages.tsx'
import { useChange } from '../ui/dialogs/useChange.ts'
import { wrongWithPassword, wrongWithText } from '../ui/forms/rules.ts'
import { ErrorNote, PageHeader, Text, useDocumentTitle } from '../ui/index.ts'
import { notify } from '../ui/notify.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { CopyLines } from '../ui/values/CopyLines.tsx'
import { Connection } from './Connection.tsx'
import { Passkeys } from './Passkeys.tsx'
import { SecondFactors } from './SecondFactors.tsx'
import { Sessions, SignIns } from './Sessions.tsx'
import './account.css'

/** My account, in the frame of the workspace that was open last. */
export const AccountPage = () => (
  <LastWorkspace
    otherwise={
      <main className="account-alone svc-narrow">
        <Anchor component={Link} to={paths.home}>
          Your workspaces
        </Anchor>
        <Account />
      </main>
    }
  >
    <Account />
  </LastWorkspace>
)

/**
 * The name, the password, the factors and the sessions of the signed-in person, and the appearance of the page, with
 * forms that change them.
 */
function Account() {
  const { data: me } = useSuspenseQuery(meQuery)
  const signOut = useSignOut()
  const provider = useProvider()
  const end = useConnectionEnd()
  useDocumentTitle('My account')
  return (
    <div className="svc-narrow">
      <PageHeader
        title="My account"
        note={<Text>{me.email}</Text>}
        actions={
          <Button variant="default" onClick={() => void signOut()}>
            Sign out
          </Button>
        }
      />
      {!me.emailConfirmed && <Unconfirmed me={me} passwords={!provider?.only} />}
      <Part title="Name" note="Shown next to your actions.">
        <NameForm name={me.name} />
      </Part>
      <Part title="Appearance" note="Saved in this browser.">
        <Appearance />
      </Part>
      {provider?.only ? (
        <Part title="Password" note="Not used here.">
          People sign in to this service with <Text>{provider.name}</Text> or with a passkey.
        </Part>
      ) : (
        <Password me={me} />
      )}
      {provider && (
        <Part title="Sign-in provider" note={`Sign in with ${provider.name}.`}>
          <Connection provider={provider} end={end} />
        </Part>
      )}
      <Part
        title="Second factor"
        note={provider ? 'A second way to show who you are.' : 'Asked for after your password.'}
        id={secondFactorPart}
      >
        <SecondFactors email={me.email} passwords={!provider?.only} />
      </Part>
      <Part title="Passkeys" note="Sign in without a password.">
        <Passkeys service={me.service} passwords={!provider?.only} />
      </Part>
      <Part title="Sessions" note="Where you are signed in.">
        <Sessions />
      </Part>
      <Part
        title="Recent sign-ins"
        note={provider?.only ? tellOperator : 'If one of them was not you, change your password.'}
      >
        <SignIns />
      </Part>
      <p className="svc-quiet account-end">
        svc {me.service.version}, open source (Apache-2.0).{' '}
        <Anchor href="/notices.txt" target="_blank" inherit>
          Libraries in this page and their licences
        </Anchor>
      </p>
    </div>
  )
}

/**
 * Says that the person's email address is not confirmed. A link for a new password can confirm it, unless the service
 * takes no passwords.
 */
function Unconfirmed({ me: { email, mails }, passwords }: { me: Me; passwords: boolean }) {
  const [sent, setSent] = useState(false)
  const { busy, error, submit } = useChange(async () => {
    await call('POST /forgot', { email })
    setSent(true)
  })
  return (
    <div className="svc-notice account-unconfirmed" role="note">
      <p>
        <strong>This email address is not confirmed.</strong> Until it is, the operator of this service can hand the
        account to the owner of the address.{' '}
        {passwords &&
          (mails
            ? 'A link by email confirms it: you choose a new password, and your sessions and passkeys end.'
            : 'This service sends no email. Its operator can print a link for you that confirms it:')}
      </p>
      {passwords && !mails && (
        <CopyLines text={`${operatorCommand} link ${shellWord(email)} --claim`} label="command" />
      )}
      {passwords && mails && (
        <p role="status">
          {sent ? (
            'The link is on its way. It works once, within an hour.'
          ) : (
            <Button variant="default" size="compact-sm" loading={busy} onClick={() => submit()}>
              Send confirmation link
            </Button>
          )}
        </p>
      )}
      {error !== null && <ErrorNote error={error} />}
    </div>
  )
}

const tellOperator = 'If one of them was not you, tell the operator of this service.'

/** Reads from the address how an attempt to connect the account ended, and announces a success. */
function useConnectionEnd() {
  const { oidc } = getRouteApi('/signed-in/account').useSearch()
  const navigate = useNavigate()
  const [end, setEnd] = useState(oidc)
  useEffect(() => {
    if (!oidc) return
    setEnd(oidc)
    if (oidc === 'connected') notify({ message: 'Your account was connected.' })
    void navigate({ to: paths.account, replace: true, resetScroll: false })
  }, [oidc, navigate])
  return end
}

interface AccountPart {
  title: string
  note: string
  /** The part of the address after `#` that leads here. */
  id?: string
  children: ReactNode
}

const Part = ({ title, note, id, children }: AccountPart) => (
  <section className="account-part" id={id}>
    <div>
      <h2>{title}</h2>
      <p className="svc-quiet">{note}</p>
    </div>
    <div>{children}</div>
  </section>
)

function Appearance() {
  const { chosen, choose } = useScheme()
  return (
    <SegmentedControl
      aria-label="Appearance"
      value={chosen}
      onChange={(scheme) => choose(scheme as typeof chosen)}
      data={[
        { value: 'auto', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  )
}

function NameForm({ name }: { name: string }) {
  const client = useQueryClient()
  const form = useForm({ initialValues: { name }, validate: { name: wrongWithText } })
  const { busy, error, submit } = useChange(async (values: typeof form.values) => {
    client.setQueryData(meQuery.queryKey, await call('PATCH /me', { name: values.name }))
    notify({ message: 'Name changed.' })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <Group align="flex-start" gap="xs">
          <TextInput flex={1} aria-label="Name" autoComplete="name" {...form.getInputProps('name')} />
          <Button type="submit" variant="default" loading={busy} disabled={trimInvisible(form.values.name) === name}>
            Save
          </Button>
        </Group>
        {error !== null && <ErrorNote error={error} />}
      </Stack>
    </form>
  )
}

function Password({ me }: { me: Me }) {
  const query = useQuery(read('GET /factors'))
  const { data } = query
  return (
    <Part
      title="Password"
      note={data?.password === false ? 'You have none.' : 'Changing it signs out your other sessions.'}
    >
      {data ? (
        <PasswordForm key={String(data.password)} email={me.email} factors={data} />
      ) : (
        <QueryState of={query} waiting={null} />
      )}
    </Part>
  )
}

function PasswordForm({ email, factors }: { email: string; factors: Factors }) {
  const client = useQueryClient()
  const has = factors.password
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: { current: (v) => (has && v === '' ? 'Required' : null), next: wrongWithPassword },
  })
  const { busy, error, submit } = useChange(async ({ current, next }: typeof form.values) => {
    // Without a second factor the password is the proof, and nobody should have to type it twice.
    if (has && !factors.totp && !canShowPasskey(factors)) await call('POST /proof', { password: current })
    await call('POST /password', { current, next })
    form.reset()
    void client.invalidateQueries({ queryKey: queryKeys.sessions })
    void client.invalidateQueries({ queryKey: read('GET /factors').queryKey })
    notify({ message: `Password ${has ? 'changed' : 'chosen'}. Your other sessions were signed out.` })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <input type="text" value={email} readOnly hidden autoComplete="username" />
        {has && (
          <PasswordInput label="Current password" autoComplete="current-password" {...form.getInputProps('current')} />
        )}
        <PasswordInput
          label="New password"
          description="At least 10 characters."
          autoComplete="new-password"
          {...form.getInputProps('next')}
        />
        {error !== null && <ErrorNote error={error} />}
        <Group>
          <Button type="submit" variant="default" loading={busy}>
            {has ? 'Change password' : 'Choose password'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
