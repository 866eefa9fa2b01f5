import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { DoorShell } from '../shell/DoorShell.tsx'
import { ErrorNote } from '../ui/index.ts'
import { DoorButton } from './links.tsx'

interface LinkRefusedProps {
  title: string
  error: unknown
  /** A text that says how to get another link or invitation. */
  children: ReactNode
  /** False to leave out the button to sign in, because nobody has an account yet. */
  canSignIn?: boolean
}

/** The page that says that the service refused a one-time link or an invitation. */
export const LinkRefused = ({ title, error, children, canSignIn = true }: LinkRefusedProps) => (
  <DoorShell title={title}>
    <Stack gap="md">
      <ErrorNote error={error} />
      <div>{children}</div>
      {canSignIn && (
        <DoorButton to={paths.signIn} variant="default">
          Sign in
        </DoorButton>
      )}
    </Stack>
  </DoorShell>
)
