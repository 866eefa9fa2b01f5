import { Button, Stack } from '@mantine/core'
import type { SignInRecord } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../data/queries.ts'
import { ErrorNote, Text, Time } from '../ui/index.ts'
import { browserOf } from './browser.ts'

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
