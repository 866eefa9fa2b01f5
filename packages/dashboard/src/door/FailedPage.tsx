import { DoorShell } from '../shell/DoorShell.tsx'
import { ErrorNote } from '../ui/index.ts'

/** Shown if the service does not say who is signed in, or if the code of the page cannot be loaded. */
export const FailedPage = ({ error }: { error: unknown }) => (
  <DoorShell title="This page could not be loaded">
    <ErrorNote error={error} retry={() => location.reload()} />
  </DoorShell>
)
