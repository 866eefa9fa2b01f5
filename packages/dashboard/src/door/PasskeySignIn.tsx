import { Button } from '@mantine/core'
import { call, isRefusal } from '../data/api.ts'
import { askForPasskey, hasPasskeys } from '../data/passkeys.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { ErrorNote } from '../ui/index.ts'
import { replacePage } from './address.ts'

interface PasskeySignInProps {
  /** The address to open after the sign-in. */
  next: string
  /** The way to sign in without the passkey, as an imperative such as `use your password`. */
  other?: string
}

/** A button that signs in with a passkey, without an email address. Shows nothing if the browser has no passkeys. */
export function PasskeySignIn({ next, other = 'use your password' }: PasskeySignInProps) {
  const { busy, error, submit } = useChange(async () => {
    await call('POST /passkey', { response: await askForPasskey() })
    await replacePage(next)
  })
  if (!hasPasskeys()) return null
  return (
    <>
      {error !== null && <ErrorNote error={isRefusal(error, 401) ? notAccepted(other) : error} />}
      <Button variant="default" onClick={() => submit()} loading={busy} fullWidth>
        Use a passkey
      </Button>
    </>
  )
}

const notAccepted = (other: string) =>
  new Error(`This passkey was not accepted. It may have been removed. Try again, or ${other}.`)
