import { Button, Group } from '@mantine/core'
import { ErrorNote } from './ErrorNote.tsx'

interface DialogEndProps {
  /** The error with which the action failed; null if it did not fail. */
  error: unknown
  onCancel: () => void
  /** The text on the button that submits the form, which begins with a verb. */
  submit: string
  busy: boolean
  danger?: boolean | undefined
  disabled?: boolean | undefined
}

/** The end of a form in a dialog: the error if there is one, the cancel button, and the submit button. */
export const DialogEnd = ({ error, onCancel, submit, busy, danger, disabled = false }: DialogEndProps) => (
  <>
    {error !== null && <ErrorNote error={error} />}
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" {...(danger && { color: 'red' })} loading={busy} disabled={disabled}>
        {submit}
      </Button>
    </Group>
  </>
)
