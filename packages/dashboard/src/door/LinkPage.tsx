import { Button, Stack } from '@mantine/core'
import { api } from '../data/api.ts'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { useSubmit } from '../ui/forms/useSubmit.ts'
import { ErrorNote } from '../ui/index.ts'
import { arrive } from './address.ts'
import { DoorButton } from './links.tsx'

/**
 * The page that signs a person in with a one-time link. The person must press a button, so that programs that only open
 * the address do not use up the link.
 */
export function LinkPage({ token }: { token: string }) {
  const { busy, error, submit } = useSubmit(async () => {
    await api.spendLink(token)
    await arrive(paths.home)
  })
  return (
    <DoorShell title="Sign in with this link" note="The link works once and signs you in in this browser.">
      <Stack gap="sm">
        {error !== null && <ErrorNote error={error} />}
        {error === null ? (
          <Button onClick={submit} loading={busy} fullWidth autoFocus>
            Sign in
          </Button>
        ) : (
          <DoorButton to={paths.signIn} variant="default" fullWidth>
            Sign in with a password
          </DoorButton>
        )}
      </Stack>
    </DoorShell>
  )
}
