import { Badge, Button, Stack } from '@mantine/core'
import type { Session } from '@svc/api'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
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
