import { Badge, Button, Stack } from '@mantine/core'
import type { Session, SignInRecord } from '@svc/api'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../data/api.ts'
import { queryKeys, read } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { count, ErrorNote, Text, Time } from '../ui/index.ts'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { useFirstRows } from '../ui/useFirstRows.tsx'

/** The sessions of the signed-in person, each with a button that ends the session. */
export function Sessions() {
  const query = useQuery(read('GET /sessions'))
  const { data } = query
  const client = useQueryClient()
  const end = useChange(async (id: string | 'others') => {
    try {
      await (id === 'others' ? call('DELETE /sessions') : call('DELETE /sessions/:id', { id }))
    } finally {
      await client.invalidateQueries({ queryKey: queryKeys.sessions })
    }
  })
  if (!data) return <QueryState of={query} waiting={null} />
  return (
    <Stack gap="sm" align="flex-start">
      <ul className="sessions">
        {[...data]
          .sort((a, b) => Number(b.current) - Number(a.current) || b.seenAt - a.seenAt)
          .map((session) => (
            <SessionLine key={session.id} session={session} busy={end.busy} onEnd={() => end.submit(session.id)} />
          ))}
      </ul>
      {end.error !== null && <ErrorNote error={end.error} />}
      {data.length > 1 && (
        <Button variant="default" onClick={() => end.submit('others')} loading={end.busy}>
          End all other sessions
        </Button>
      )}
    </Stack>
  )
}

function SessionLine({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) {
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
  passkey: 'with a passkey',
  oidc: 'through the sign-in provider',
}

const seconds: Readonly<Record<NonNullable<SignInRecord['second']>, string>> = {
  code: ' and a code of your app',
  recovery: ' and a recovery code',
}

/** The number of sign-ins that the list shows at first. */
const shownAtFirst = 5

/** The last sign-ins of the signed-in person, who can notice there that somebody else has signed in. */
export function SignIns() {
  const query = useQuery(read('GET /sign-ins'))
  const { data } = query
  const first = useFirstRows(data ?? [], shownAtFirst)
  if (!data) return <QueryState of={query} waiting={null} />
  if (data.length === 0) return <p className="svc-quiet">None yet. The next sign-in will be listed here.</p>
  return (
    <Stack gap="sm" align="flex-start">
      <ul ref={first.list} tabIndex={-1} className="sessions svc-focused-part">
        {first.shown.map((signIn) => (
          <li className="session" key={`${signIn.at} ${signIn.address}`}>
            <div className="session-what">
              <Text>{browserOf(signIn.userAgent)}</Text>
              <div className="svc-quiet">
                <Text>{signIn.address}</Text> · <Time at={signIn.at} />, {methods[signIn.method]}
                {signIn.second && seconds[signIn.second]}
                {signIn.times !== undefined && signIn.since !== undefined && (
                  <>
                    {' '}
                    ({count(signIn.times, 'sign-in')}, the first <Time at={signIn.since} />)
                  </>
                )}
              </div>
            </div>
          </li>
        ))}
      </ul>
      {first.button}
    </Stack>
  )
}

const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrom(?:e|ium)\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]
const find = (all: readonly [RegExp, string][], text: string) => all.find(([shape]) => shape.test(text))?.[1]

/**
 * Turns a browser's user agent into words such as `Firefox on Linux`. An unknown user agent is shortened to 60
 * characters.
 */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser'
  const browser = find(browsers, userAgent)
  const system = find(systems, userAgent)
  if (browser === undefined) return userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
