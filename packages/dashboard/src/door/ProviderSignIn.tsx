import { Button } from '@mantine/core'
import type { EntryInfo } from '@svc/api'
import { providerAddress } from '../data/provider.ts'
import { focusAtFirst } from '../ui/index.ts'

interface ProviderSignInProps {
  provider: NonNullable<EntryInfo['oidc']>
  /** The address of this page to open after the sign-in. */
  next: string
}

/** The link to the sign-in provider. It is the main button and has the focus if there is no sign-in by password. */
export const ProviderSignIn = ({ provider: { name, only }, next }: ProviderSignInProps) => (
  <Button
    component="a"
    href={providerAddress(next)}
    variant={only ? 'filled' : 'default'}
    {...(only && { ref: focusAtFirst })}
    fullWidth
    className="svc-wrapped-button"
  >
    Sign in with {name}
  </Button>
)
