import { Alert, Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

interface ErrorNoteProps {
  error: unknown
  /** Called when the person presses the button to try again. Without it there is no button. */
  retry?: () => unknown
}

/** Shows an error in the service's words, with a button to try again. */
export function ErrorNote({ error, retry }: ErrorNoteProps) {
  const words = error instanceof Error ? error.message : String(error)
  return (
    <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />} p="sm">
      {words}
      {retry && (
        <Button size="compact-sm" variant="default" ms="sm" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </Alert>
  )
}
