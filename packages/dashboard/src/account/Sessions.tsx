import { Badge, Button, Stack } from '@mantine/core'
import type { Session, SignInRecord } from '@svc/api'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { keys, read } from '../data/queries.ts'
import { ErrorNote, Text, Time } from '../ui/index.ts'
import { browserOf } from './browser.ts'

/** The sessions of the signed-in person, each with a button that ends the session. */
export function Sessions() {
  const { data, error, refetch } = useQuery(read('GET /sessions'))
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: (id: string | 'others') =>
      id === 'others' ? call('DELETE /sessions') : call('DELETE /sessions/:id', { id }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.sessions }),
  })
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  if (!data) return null
  return (
    <Stack gap="sm" align="flex-start">
      <ul className="sessions">
        {[...data]
          .sort((a, b) => Number(b.current) - Number(a.current) || b.seenAt - a.seenAt)
          .map((session) => (
            <Line key={session.id} session={session} busy={end.isPending} onEnd={() => end.mutate(session.id)} />
          ))}
      </ul>
      {end.error && <ErrorNote error={end.error} />}
      {data.length > 1 && (
        <Button variant="default" onClick={() => end.mutate('others')} loading={end.isPending}>
          End all other sessions
        </Button>
      )}
    </Stack>
  )
}

function Line({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) {
  const what = browserOf(session.userAgent)
  return (
    <li className="session">
      <div className="session-what">
        <Text>{what}</Text>{' '}
        {session.current && (
          <Badge size="xs" variant="light" color="gray" ms={4}>
            This one
          </Badge>
        )}
        <div className="svc-quiet">
          {session.ip && (
            <>
              <Text>{session.ip}</Text> ·{' '}
            </>
          )}
          used {session.current ? 'now' : <Time at={session.seenAt} />}, signed in <Time at={session.createdAt} />
        </div>
      </div>
      {!session.current && (
        <Button size="compact-sm" variant="default" disabled={busy} onClick={onEnd} aria-label={`End session: ${what}`}>
          End
        </Button>
      )}
    </li>
  )
}

const methods: Readonly<Record<SignInRecord['method'], string>> = {
  password: 'with your password',
  link: 'with a sign-in link',
  invitation: 'with an invitation',
  first: 'with the first-start link',
  claim: 'with an account handover link',
}

const seconds: Readonly<Record<NonNullable<SignInRecord['second']>, string>> = {
  code: ' and a code of your app',
  recovery: ' and a recovery code',
}

/** The number of sign-ins that the list shows at first. */
const first = 5

/** The last sign-ins of the signed-in person, who can notice there that somebody else has signed in. */
export function SignIns() {
  const { data, error, refetch } = useQuery(read('GET /sign-ins'))
  const [all, setAll] = useState(false)
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  if (!data) return null
  if (data.length === 0) return <p className="svc-quiet">None yet. The next sign-in will be listed here.</p>
  const shown = all ? data : data.slice(0, first)
  return (
    <Stack gap="sm" align="flex-start">
      <ul className="sessions">
        {shown.map((signIn) => (
          <li className="session" key={`${signIn.at} ${signIn.address}`}>
            <div className="session-what">
              <Text>{browserOf(signIn.userAgent)}</Text>
              <div className="svc-quiet">
                <Text>{signIn.address}</Text> · <Time at={signIn.at} />, {methods[signIn.method]}
                {signIn.second && seconds[signIn.second]}
              </div>
            </div>
          </li>
        ))}
      </ul>
      {data.length > shown.length && (
        <Button variant="default" onClick={() => setAll(true)}>
          Show all {data.length}
        </Button>
      )}
    </Stack>
  )
}
