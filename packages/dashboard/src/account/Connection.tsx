import { Button, Stack } from '@mantine/core'
import type { ConnectionEnd, EntryInfo, Factors } from '@svc/api'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../data/api.ts'
import { leaveFor } from '../data/provider.ts'
import { read } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { dateAndTime, ErrorNote, serviceNow, Text, useConfirm, useFocusedPart } from '../ui/index.ts'
import { notify } from '../ui/notify.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'

interface ConnectionProps {
  /** The provider of the service; null if it has none. */
  provider: EntryInfo['oidc']
  /** How an attempt to connect the account ended, if the browser has just come back from the provider. */
  end: ConnectionEnd | undefined
}

/** The connection of the signed-in person's account with the sign-in provider, which they make and remove here. */
export function Connection({ provider, end }: ConnectionProps) {
  const query = useQuery(read('GET /factors'))
  const { data } = query
  const part = useFocusedPart<HTMLDivElement>(data && (data.oidc ? 'connected' : 'not connected'))
  const isThere = data !== undefined
  useEffect(() => {
    if (end && isThere) part.current?.focus()
  }, [end, isThere, part])
  if (!data) return <QueryState of={query} waiting={null} />
  return (
    <div ref={part} tabIndex={-1} className="svc-focused-part">
      <Stack gap="sm" align="flex-start">
        {end && end !== 'connected' && <ErrorNote error={failures[end](provider?.name ?? 'the provider')} />}
        {data.oidc ? (
          <Connected connection={data.oidc} />
        ) : (
          provider && <Unconnected name={provider.name} hasPassword={data.password && !provider.only} />
        )}
      </Stack>
    </div>
  )
}

const failures: Readonly<Record<Exclude<ConnectionEnd, 'connected'>, (name: string) => string>> = {
  failed: (name) =>
    `Your account was not connected with ${name}. Try again; if it keeps failing, ask the operator of this service.`,
  taken: (name) =>
    `Your account was not connected. Another account here is connected with the one that you used at ${name}. Use another one there, or disconnect that account first.`,
  busy: (name) =>
    `Your account was not connected. Too many sign-ins through ${name} have failed or are still pending. Try again in some minutes.`,
}

function Connected({ connection: { name, since, account } }: { connection: NonNullable<Factors['oidc']> }) {
  const client = useQueryClient()
  const confirm = useConfirm()
  const disconnect = async () => {
    await call('DELETE /factors/oidc')
    await client.invalidateQueries()
    notify({ message: `${name} was disconnected.` })
  }
  const askToDisconnect = () =>
    confirm({
      title: `Disconnect ${name}?`,
      content: `You can then no longer sign in with ${name}. Your account there stays as it is.`,
      confirm: 'Disconnect account',
      danger: true,
      act: disconnect,
    })
  return (
    <>
      <div>
        Connected with <Text>{name}</Text>
        {account != null && (
          <>
            {' '}
            as <Text>{account}</Text>
          </>
        )}{' '}
        since {dateAndTime(since, serviceNow())}.
      </div>
      <Button variant="default" onClick={askToDisconnect}>
        Disconnect account
      </Button>
    </>
  )
}

function Unconnected({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  const { busy, error, submit } = useChange(async () => {
    const { location } = await call('POST /factors/oidc')
    await leaveFor(location)
  })
  return (
    <>
      <div>
        Not connected. Once it is, you sign in with <Text>{name}</Text>
        {hasPassword ? ' or with your password.' : '.'} Connecting ends your other sessions that showed no second
        factor.
      </div>
      {error !== null && <ErrorNote error={error} />}
      <Button variant="default" onClick={() => submit()} loading={busy}>
        Connect account
      </Button>
    </>
  )
}
